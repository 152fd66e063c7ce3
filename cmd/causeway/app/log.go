package app

import (
	"io"
	"os"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/config"
)

const (
	logBuffer = 64 << 10    // bytes kept back at the most, so that an access line costs no system call of its own
	logFlush  = time.Second // how long a line may wait

	accessLogger = "httpapi" // its info lines are the access lines, one per request
)

// NewLogger writes to standard error: text for a person at a terminal, JSON lines for a machine. Of the lines for a
// machine the access lines wait in a buffer; every other line is written at once, with all before it. stop
// writes what is left.
func NewLogger(cfg config.Log) (log *zap.Logger, stop func(), err error) {
	level, err := zap.ParseAtomicLevel(cfg.Level)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Format == "text" || cfg.Format == "auto" && IsTerminal(os.Stderr) {
		return zap.New(dial{zapcore.NewCore(textEncoder(), zapcore.Lock(os.Stderr), level), level}), func() {}, nil
	}
	log, stop = jsonLogger(struct{ io.Writer }{os.Stderr}, level) // without its Sync, which pipes refuse: each refusal would be a line of its own
	return log, stop, nil
}

func jsonLogger(w io.Writer, level zap.AtomicLevel) (*zap.Logger, func()) {
	buffer := &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(w), Size: logBuffer, FlushInterval: logFlush}
	encoder := zap.NewProductionEncoderConfig()
	encoder.TimeKey, encoder.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	core := zapcore.NewCore(zapcore.NewJSONEncoder(encoder), buffer, level)
	atOnce := zap.Hooks(func(e zapcore.Entry) error {
		if e.LoggerName == accessLogger && e.Level == zapcore.InfoLevel {
			return nil
		}
		return buffer.Sync()
	})
	return zap.New(core, atOnce, withDial(level)), func() { _ = buffer.Stop() }
}

// dial is a core whose level can be set while it runs.
type dial struct {
	zapcore.Core
	level zap.AtomicLevel
}

func withDial(level zap.AtomicLevel) zap.Option {
	return zap.WrapCore(func(c zapcore.Core) zapcore.Core { return dial{c, level} })
}

// setLevel sets the level of a logger that NewLogger made, and of all that were made of it. Others stay as they are.
func setLevel(log *zap.Logger, text string) error {
	level, err := zapcore.ParseLevel(text)
	if d, ok := log.Core().(dial); ok && err == nil {
		d.level.SetLevel(level)
	}
	return err
}

func textEncoder() zapcore.Encoder {
	encoder := zap.NewDevelopmentEncoderConfig()
	encoder.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
	encoder.EncodeLevel = zapcore.CapitalLevelEncoder
	encoder.CallerKey, encoder.StacktraceKey = zapcore.OmitKey, zapcore.OmitKey
	return zapcore.NewConsoleEncoder(encoder)
}

func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
