package httpapi

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packer compresses documents. One is shared by all of them: what it keeps for itself is large, and it is needed once per document.
type packer struct {
	mu   sync.Mutex
	gzip *gzip.Writer
	zstd *zstd.Encoder
}

// zstdWindow is far below the 8 MiB that RFC 9659 lets a client expect: most documents are smaller, and the encoder keeps as much for itself.
const zstdWindow = 1 << 17

func newPacker() (*packer, error) {
	gz, err := gzip.NewWriterLevel(nil, gzip.DefaultCompression)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	zs, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return &packer{gzip: gz, zstd: zs}, nil
}

// pack compresses a body, deterministically, and returns the name of the coding with it.
func (p *packer) pack(c coding, body []byte) ([]byte, []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c == zstandard {
		return bytes.Clone(p.zstd.EncodeAll(body, make([]byte, 0, len(body)/4))), encodingZstd
	}
	var out bytes.Buffer
	p.gzip.Reset(&out)
	_, err := p.gzip.Write(body)
	if err == nil {
		err = p.gzip.Close()
	}
	if err != nil {
		panic(err) // a buffer takes every write
	}
	return bytes.Clone(out.Bytes()), encodingGzip
}
