package httpapi

import (
	"sync"
	"sync/atomic"
)

// shelfRoom is how many documents a shelf keeps: more than the clients of one publication usually ask for.
const shelfRoom = 64

// shelf keeps the documents of the unusual questions about one publication, as many as it has room for. What finds no room is not
// compressed: clients could make us compress without end, each for one reader and all of them waiting for each other.
type shelf[K comparable] struct {
	kept  sync.Map // of K: *document
	count atomic.Int64
}

// find returns the document of a question, or nil.
func (s *shelf[K]) find(question K) *document {
	kept, _ := s.kept.Load(question)
	d, _ := kept.(*document)
	return d
}

// keep makes the document of a question, and keeps it where there is room.
func (s *shelf[K]) keep(p *packer, question K, body []byte) *document {
	if s.count.Add(1) > shelfRoom {
		s.count.Add(-1)
		return newDocument(nil, typeJSON, body)
	}
	mine := newDocument(p, typeJSON, body)
	kept, known := s.kept.LoadOrStore(question, mine)
	if !known {
		return mine
	}
	s.count.Add(-1)
	d, _ := kept.(*document)
	return d
}
