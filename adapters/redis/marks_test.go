package redis_test

import (
	"testing"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestDepositMarks(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	client := connect(t, server.URL(), "deposits:")
	porttest.DepositMarks(t, func() ports.DepositMarks { return redis.NewDepositMarks(client.Client) })
	server.Kill()
	if got, err := redis.NewDepositMarks(client.Client).Raise(t.Context(), "BTC", 7); got != 0 || err != nil {
		t.Errorf("without the server: got %d, %v; want 0", got, err)
	}
}
