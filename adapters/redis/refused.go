package redis

import (
	"context"
	"strings"

	"github.com/redis/rueidis"
	"go.uber.org/zap"
)

// refused notes a server that answers but takes no writes, and tells the operator when that begins. The text is ours: the server's may
// show keys.
func (s *Server) refused(answer error) (is bool) {
	for _, r := range refusals {
		if !strings.Contains(answer.Error(), r.sign) {
			continue
		}
		if s.refuses.Swap(calm) == 0 {
			s.log.Warn("the shared server answers, but takes no writes; every process goes on by itself until it does", zap.String("why", r.means))
		}
		return true
	}
	return false
}

// try asks a server that took no writes for one that changes nothing, and tells the operator once none was refused for a while: one
// that is full has room for a moment whenever something in it expires.
func (s *Server) try(ctx context.Context, client rueidis.Client) {
	inTime, done := context.WithTimeout(ctx, s.cfg.Timeout)
	defer done()
	err := client.Do(inTime, client.B().Set().Key(s.cfg.Prefix+"room").Value("").Xx().Build()).Error() // there is no such key
	answer, answered := rueidis.IsRedisErr(err)
	silent := err != nil && !answered && !rueidis.IsRedisNil(err)
	if silent || answered && s.refused(answer) {
		return
	}
	if s.refuses.Add(-1) == 0 {
		s.log.Info("the shared server takes writes again")
	}
}
