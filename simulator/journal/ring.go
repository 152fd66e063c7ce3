package journal

import "unsafe"

// ring holds the newest entries, oldest first. It grows with them.
type ring struct {
	slots  []*Open
	first  int
	length int
	bytes  int
}

func (r *ring) push(o *Open) {
	if r.length == len(r.slots) {
		grown := make([]*Open, max(16, 2*len(r.slots)))
		for i := range r.length {
			grown[i] = r.at(i)
		}
		r.slots, r.first = grown, 0
	}
	r.slots[(r.first+r.length)%len(r.slots)] = o
	r.length++
	r.bytes += o.size
}

func (r *ring) at(i int) *Open { return r.slots[(r.first+i)%len(r.slots)] }

// drop forgets the oldest.
func (r *ring) drop() {
	r.bytes -= r.slots[r.first].size
	r.slots[r.first] = nil
	r.first = (r.first + 1) % len(r.slots)
	r.length--
}

// after returns the entries with a higher number, oldest first, and how many such were dropped.
func (j *Journal) after(seq uint64) (entries []*Open, dropped uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.since(seq)
}

// since is after, for a caller that holds the lock. Numbers have no gaps, so that they tell the places.
func (j *Journal) since(seq uint64) (entries []*Open, dropped uint64) {
	if seq < j.dropped {
		dropped, seq = j.dropped-seq, j.dropped
	}
	if seq >= j.seq {
		return nil, dropped
	}
	entries = make([]*Open, 0, j.seq-seq)
	for i := int(seq - j.dropped); i < j.ring.length; i++ { //nolint:gosec // below the length of the ring
		entries = append(entries, j.ring.at(i))
	}
	return entries, dropped
}

// weigh is the memory that an entry takes, all allocations rounded up as the allocator does at most.
func (o *Open) weigh() int {
	e := &o.entry
	n := rounded(int(unsafe.Sizeof(*o))) + 2*int(unsafe.Sizeof(o)) // and its place in a ring that is half empty
	n += texts(e.ID, e.Operation, e.Applied, e.Request.Method, e.Request.Path, e.Answer.Error, e.Answer.ContentType)
	n += rounded(cap(e.Request.Body)) + fields(e.Request.Query) + fields(e.Request.Headers)
	n += sums(e.Request.segments) + sums(e.Request.query) + sums(e.Request.headers) + rounded(cap(e.Request.members)*int(unsafe.Sizeof(hidden{})))
	for i := range e.Request.members {
		n += texts(e.Request.members[i].name)
	}
	n += rounded(cap(e.Attempts) * int(unsafe.Sizeof(Attempt{})))
	for i := range e.Attempts {
		a := &e.Attempts[i]
		n += texts(a.Provider, a.Operation, a.Outcome, a.Breaker, a.Fault)
	}
	n += rounded(cap(e.Votes) * int(unsafe.Sizeof(Vote{})))
	for i := range e.Votes {
		v := &e.Votes[i]
		n += texts(v.Market, v.Source, v.Family, v.Bid, v.Ask, v.Age, v.Reason)
	}
	n += rounded(cap(e.Answer.Fields)*int(unsafe.Sizeof(""))) + texts(e.Answer.Fields...)
	if o.raw != nil {
		n += rounded(int(unsafe.Sizeof(*o.raw))) + texts(o.raw.method, o.raw.target.Reveal(), o.raw.body.Reveal(), o.raw.response.Reveal()) + fields(o.raw.headers)
	}
	return n
}

func fields(list []Field) int {
	n := rounded(cap(list) * int(unsafe.Sizeof(Field{})))
	for i := range list {
		n += texts(list[i].Name, list[i].Value)
	}
	return n
}

func sums(list []digest) int { return rounded(cap(list) * int(unsafe.Sizeof(digest(0)))) }

func texts(list ...string) int {
	n := 0
	for _, text := range list {
		n += rounded(len(text))
	}
	return n
}

// rounded is what the allocator takes for n bytes: its size classes waste an eighth at most, and 16 bytes in small ones.
func rounded(n int) int {
	if n == 0 {
		return 0
	}
	return (n + n/8 + 15) &^ 15
}
