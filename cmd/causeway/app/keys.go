package app

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/adapters/keyring"
	"causeway/adapters/redis"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

// newKeys opens the keys of callers.
func newKeys(cfg config.Config, client *redis.Client, log *zap.Logger, reg prometheus.Registerer) (*keyring.Ring, error) {
	failures := promauto.With(reg).NewCounter(prometheus.CounterOpts{
		Name: "causeway_keys_failures_total", Help: "Times that the keys of callers, or when they were used, began to be unreadable or unwritable; the keys stay as they were.",
	})
	return keyring.Open(context.Background(), keyStore(cfg, client), cfg.Auth.Keys, time.Now, func(err error) {
		failures.Inc()
		if errors.Is(err, keyring.ErrNotNoted) {
			log.Warn("causeway keys list will not say when keys were last used; the keys are good as they are", zap.Error(err))
			return
		}
		log.Error("the keys of callers cannot be read; they stay as they were", zap.Error(err))
	})
}

// warnOfKeys warns of a production process that has no key of any caller: keys can still be created.
func warnOfKeys(cfg config.Config, stored int, log *zap.Logger) {
	if cfg.Mode != config.Production {
		return
	}
	if needed := cfg.KeyedOperations(); len(needed) > 0 && stored == 0 && len(cfg.Auth.Keys) == 0 {
		log.Warn("no key of a caller is known: what needs one is refused to everybody until causeway keys create makes one, or the keys can be read",
			zap.Strings("operations", needed), zap.String("key_file", cfg.Auth.KeyFile))
	}
}

// keyStore is where the keys of callers are: in the file that is named, else where replicas share them; nil: nowhere.
func keyStore(cfg config.Config, client *redis.Client) ports.KeyStore {
	switch {
	case cfg.Auth.KeyFile != "":
		return keyring.File(cfg.Auth.KeyFile)
	case client != nil:
		return redis.NewKeys(client, cfg.Privacy.HashKey)
	default:
		return nil
	}
}

// OpenKeys opens the file of keys, or the store that the configuration says. Faults of the configuration are no concern of the keys where it says
// that.
func OpenKeys(ctx context.Context, file, settings string) (keys *keyring.Keeper, end func(), err error) {
	var cfg config.Config
	if cfg.Auth.KeyFile = file; file == "" {
		cfg, err = config.Load(config.Sources{File: settings, Env: os.Environ()})
	}
	switch {
	case cfg.Auth.KeyFile != "":
		return keyring.NewKeeper(keyring.File(cfg.Auth.KeyFile), time.Now, SystemEntropy), func() {}, nil
	case cfg.Redis.URL != "" && cfg.Privacy.HashKey != "" && cfg.Redis.Check() == nil:
	case err != nil:
		return nil, nil, err
	default:
		return nil, nil, errors.New("no store of keys: give --file, or set auth.key_file (CAUSEWAY_AUTH__KEY_FILE) or redis.url (CAUSEWAY_REDIS__URL)")
	}
	return OpenConfiguredKeys(ctx, cfg)
}

// OpenConfiguredKeys opens the keys of a configuration.
func OpenConfiguredKeys(ctx context.Context, cfg config.Config) (keys *keyring.Keeper, end func(), err error) {
	if cfg.Auth.KeyFile != "" {
		return keyring.NewKeeper(keyring.File(cfg.Auth.KeyFile), time.Now, SystemEntropy), func() {}, nil
	}
	store, end, err := sharedKeys(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return keyring.NewKeeper(store, time.Now, SystemEntropy), end, nil
}

// sharedKeys opens the keys that replicas share.
func sharedKeys(ctx context.Context, cfg config.Config) (store ports.KeyStore, end func(), err error) {
	client, err := redis.Open(cfg.Redis, zap.NewNop(), prometheus.NewRegistry())
	if err != nil {
		return nil, nil, err
	}
	end = background(ctx, client.Run)
	if store = keyStore(cfg, client); !reaches(ctx, store) {
		end()
		return nil, nil, errors.New("the keys are in Redis (redis.url), which does not answer")
	}
	return store, end, nil
}

// reaches waits for a store to be there.
func reaches(ctx context.Context, store ports.KeyStore) bool {
	const patience, every = 5 * time.Second, 20 * time.Millisecond
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	again := time.NewTicker(every)
	defer again.Stop()
	for {
		if _, _, err := store.Read(ctx, ""); core.CodeOf(err) != core.Unavailable {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-again.C:
		}
	}
}
