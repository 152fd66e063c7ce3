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
	logBufferSize    = 64 << 10 // bytes of access log lines that may wait
	logFlushInterval = time.Second

	accessLogger = "httpapi" // its messages of level info are the access log
)

// NewLogger returns a logger that writes to standard error: text on a terminal, otherwise JSON
// lines. Access log lines in JSON are buffered to save system calls; any other message is written
// at once, after the lines before it. close writes what is buffered.
func NewLogger(cfg config.Log) (log *zap.Logger, closeLog func(), err error) {
	level, err := zap.ParseAtomicLevel(cfg.Level)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Format == "text" || cfg.Format == "auto" && IsTerminal(os.Stderr) {
		core := zapcore.NewCore(newTextEncoder(), zapcore.Lock(os.Stderr), level)
		return zap.New(levelCore{core, level}), func() {}, nil
	}
	// The wrapper hides Sync, which fails on pipes: zap would log each failure.
	log, closeLog = newJSONLogger(struct{ io.Writer }{os.Stderr}, level)
	return log, closeLog, nil
}

func newJSONLogger(w io.Writer, level zap.AtomicLevel) (*zap.Logger, func()) {
	buffer := &zapcore.BufferedWriteSyncer{
		WS: zapcore.AddSync(w), Size: logBufferSize, FlushInterval: logFlushInterval,
	}
	encoder := zap.NewProductionEncoderConfig()
	encoder.TimeKey, encoder.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	core := zapcore.NewCore(zapcore.NewJSONEncoder(encoder), buffer, level)
	flush := zap.Hooks(func(e zapcore.Entry) error {
		if e.LoggerName == accessLogger && e.Level == zapcore.InfoLevel {
			return nil
		}
		return buffer.Sync()
	})
	return zap.New(core, flush, withLevel(level)), func() { _ = buffer.Stop() }
}

func newTextEncoder() zapcore.Encoder {
	encoder := zap.NewDevelopmentEncoderConfig()
	encoder.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
	encoder.EncodeLevel = zapcore.CapitalLevelEncoder
	encoder.CallerKey, encoder.StacktraceKey = zapcore.OmitKey, zapcore.OmitKey
	return zapcore.NewConsoleEncoder(encoder)
}

// levelCore gives setLevel access to the level of a core.
type levelCore struct {
	zapcore.Core
	level zap.AtomicLevel
}

func withLevel(level zap.AtomicLevel) zap.Option {
	return zap.WrapCore(func(c zapcore.Core) zapcore.Core { return levelCore{c, level} })
}

// setLevel changes the level of a logger of NewLogger and of its child loggers.
func setLevel(log *zap.Logger, text string) error {
	level, err := zapcore.ParseLevel(text)
	if c, ok := log.Core().(levelCore); ok && err == nil {
		c.level.SetLevel(level)
	}
	return err
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
