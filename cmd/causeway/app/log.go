package app

import (
	"io"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/config"
)

// NewLogger returns a logger that writes to standard error: text to a terminal, JSON lines elsewhere. It drops lines
// rather than block if standard error stalls. stop writes the lines that wait.
func NewLogger(cfg config.Log) (log *zap.Logger, stop func(), err error) {
	level, err := zap.ParseAtomicLevel(cfg.Level)
	if err != nil {
		return nil, nil, err
	}
	encoder := newJSONEncoder()
	if LogsText(cfg) {
		encoder = newTextEncoder()
	}
	log, stop = newLogger(encoder, os.Stderr, level)
	return log, stop, nil
}

// LogsText reports whether a logger writes text rather than JSON.
func LogsText(cfg config.Log) bool {
	return cfg.Format == "text" || cfg.Format == "auto" && IsTerminal(os.Stderr)
}

func newLogger(encoder zapcore.Encoder, out io.Writer, level zap.AtomicLevel) (log *zap.Logger, stop func()) {
	sink := zapcore.Lock(zapcore.AddSync(out)) // shared, so that lines of the log and the audit do not mix
	writer := newLogWriter(sink)
	return zap.New(logCore{zapcore.NewCore(encoder, writer, level), level, zapcore.NewCore(encoder, sink, zapcore.DebugLevel), writer}), writer.Close
}

// logCore is the core of a logger that newLogger made.
type logCore struct {
	zapcore.Core
	level  zap.AtomicLevel
	direct zapcore.Core // without the level and without the buffer of writer
	writer *logWriter
}

// setLevel changes the level of a logger that NewLogger made, and of loggers derived from it.
func setLevel(log *zap.Logger, text string) error {
	level, err := zapcore.ParseLevel(text)
	if c, ok := log.Core().(logCore); ok && err == nil {
		c.level.SetLevel(level)
	}
	return err
}

// directCore returns a core that writes to the sink of a logger and returns the errors of the sink.
func directCore(log *zap.Logger) zapcore.Core {
	if c, ok := log.Core().(logCore); ok {
		return c.direct
	}
	return log.Core()
}

// countDroppedLines registers the metric of a logger that NewLogger made.
func countDroppedLines(log *zap.Logger, reg prometheus.Registerer) {
	if c, ok := log.Core().(logCore); ok {
		promauto.With(reg).NewCounterFunc(prometheus.CounterOpts{
			Name: "causeway_log_lines_dropped_total", Help: "Log lines that were dropped because the log sink stalled.",
		}, func() float64 { return float64(c.writer.Dropped()) })
	}
}

func newJSONEncoder() zapcore.Encoder {
	encoder := zap.NewProductionEncoderConfig()
	encoder.TimeKey, encoder.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	return zapcore.NewJSONEncoder(encoder)
}

func newTextEncoder() zapcore.Encoder {
	encoder := zap.NewDevelopmentEncoderConfig()
	encoder.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
	encoder.EncodeLevel = zapcore.CapitalLevelEncoder
	encoder.CallerKey, encoder.StacktraceKey = zapcore.OmitKey, zapcore.OmitKey
	return zapcore.NewConsoleEncoder(encoder)
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
