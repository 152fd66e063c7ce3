package app

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/adapters/telemetry"
	"causeway/config"
)

// observability provides the Prometheus registry and tracing.
var observability = fx.Module("telemetry", fx.Provide(newRegistry, newTracing))

func newRegistry(version Version, log *zap.Logger) (*prometheus.Registry, prometheus.Registerer) {
	reg := telemetry.NewRegistry(string(version))
	if c, ok := log.Core().(*logCore); ok {
		promauto.With(reg).NewCounterFunc(prometheus.CounterOpts{
			Name: "causeway_log_lines_dropped_total", Help: "Log lines that were dropped because the log sink stalled.",
		}, func() float64 { return float64(c.writer.dropped.Load()) })
	}
	return reg, reg
}

// newTracing exports traces until the process stops, if the OTEL_* variables name a collector.
func newTracing(
	life fx.Lifecycle, cfg config.Config, version Version, log *zap.Logger, reg prometheus.Registerer,
) (*telemetry.Tracing, error) {
	tracing, err := telemetry.NewTracing(context.Background(), string(version), string(cfg.Mode), log, reg)
	if err != nil {
		return nil, err
	}
	life.Append(fx.StopHook(tracing.Shutdown))
	return tracing, nil
}

// metric describes a metric of a collector. Names that end in _total are counters, the others
// gauges.
type metric struct {
	name, help string
	labels     []string
}

// collector exports values that are read when they are scraped.
type collector struct {
	descs   map[string]*prometheus.Desc
	collect func(send sender)
}

// sender exports the value of a metric with the given label values.
type sender func(name string, value float64, labels ...string)

// registerCollector registers metrics whose values collect sends.
func registerCollector(reg prometheus.Registerer, metrics []metric, collect func(send sender)) error {
	c := &collector{descs: map[string]*prometheus.Desc{}, collect: collect}
	for _, m := range metrics {
		c.descs[m.name] = prometheus.NewDesc(m.name, m.help, m.labels, nil)
	}
	return reg.Register(c)
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	c.collect(func(name string, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		out <- prometheus.MustNewConstMetric(c.descs[name], kind, value, labels...)
	})
}

// NewLogger returns a logger that writes to standard error: text to a terminal, JSON lines
// elsewhere. It drops lines rather than block if standard error stalls. stop writes the lines that
// wait.
func NewLogger(cfg config.Log) (log *zap.Logger, stop func(), err error) {
	level, err := zap.ParseAtomicLevel(cfg.Level)
	if err != nil {
		return nil, nil, err
	}
	encoder := newJSONEncoder()
	if LogsText(cfg) {
		text := zap.NewDevelopmentEncoderConfig()
		text.EncodeTime, text.EncodeLevel = zapcore.TimeEncoderOfLayout("15:04:05.000"), zapcore.CapitalLevelEncoder
		text.CallerKey, text.StacktraceKey = zapcore.OmitKey, zapcore.OmitKey
		encoder = zapcore.NewConsoleEncoder(text)
	}
	log, stop = newLogger(encoder, os.Stderr, level)
	return log, stop, nil
}

// LogsText reports whether a logger writes text rather than JSON.
func LogsText(cfg config.Log) bool {
	info, err := os.Stderr.Stat()
	isTerminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return cfg.Format == "text" || cfg.Format == "auto" && isTerminal
}

func newJSONEncoder() zapcore.Encoder {
	encoder := zap.NewProductionEncoderConfig()
	encoder.TimeKey, encoder.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	return zapcore.NewJSONEncoder(encoder)
}

func newLogger(encoder zapcore.Encoder, out io.Writer, level zap.AtomicLevel) (log *zap.Logger, stop func()) {
	sink := zapcore.Lock(zapcore.AddSync(out)) // shared, so that lines of the log and the audit do not mix
	writer := newLogWriter(sink)
	return zap.New(&logCore{
		Core: zapcore.NewCore(encoder, zapcore.AddSync(&writer.encoded), level), level: level,
		direct: zapcore.NewCore(encoder, sink, zapcore.DebugLevel), writer: writer,
	}), writer.Close
}

// logCore is the core of a logger that newLogger made. Its writer encodes the fields later, so they must not change.
type logCore struct {
	zapcore.Core // encodes for the writer
	level        zap.AtomicLevel
	direct       zapcore.Core // writes to the sink whatever the level is, and returns the errors of the sink
	writer       *logWriter
}

// With implements zapcore.Core.
func (c *logCore) With(fields []zap.Field) zapcore.Core {
	return &logCore{c.Core.With(fields), c.level, c.direct.With(fields), c.writer}
}

// Check implements zapcore.Core.
func (c *logCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write implements zapcore.Core. It always succeeds.
func (c *logCore) Write(e zapcore.Entry, fields []zap.Field) error {
	select {
	case c.writer.waiting <- logLine{c.Core, e, fields}:
	default:
		c.writer.dropped.Add(1)
	}
	return nil
}

// setLevel changes the level of a logger that NewLogger made, and of loggers derived from it.
func setLevel(log *zap.Logger, text string) error {
	level, err := zapcore.ParseLevel(text)
	if c, ok := log.Core().(*logCore); ok && err == nil {
		c.level.SetLevel(level)
	}
	return err
}

const (
	maxWaitingLines = 8192                  // lines that wait for the log sink; a few MiB
	gatherTime      = 10 * time.Millisecond // how long a line waits for more lines
	maxWrite        = 64 << 10              // bytes that are written at once, up to the end of a line
	closeTimeout    = time.Second
)

// logLine is a line that is not encoded yet.
type logLine struct {
	core   zapcore.Core
	entry  zapcore.Entry
	fields []zap.Field
}

// logWriter encodes log lines and writes them to a sink in the background, many at once: a line that is encoded
// right after another line costs a fraction of a line that is encoded in the middle of a request. Unlike
// zapcore.BufferedWriteSyncer, it never blocks while the sink stalls: beyond maxWaitingLines it drops lines.
type logWriter struct {
	waiting chan logLine
	encoded bytes.Buffer
	closing chan struct{}
	done    chan struct{}
	dropped atomic.Uint64
}

func newLogWriter(out io.Writer) *logWriter {
	w := &logWriter{
		waiting: make(chan logLine, maxWaitingLines), closing: make(chan struct{}), done: make(chan struct{}),
	}
	go w.run(out)
	return w
}

func (w *logWriter) run(out io.Writer) {
	defer close(w.done)
	for {
		select {
		case line := <-w.waiting:
			select {
			case <-time.After(gatherTime):
			case <-w.closing:
			}
			w.write(out, line)
		case <-w.closing:
			if len(w.waiting) > 0 {
				w.write(out, <-w.waiting)
			}
			return
		}
	}
}

// write writes a line and all lines that wait behind it. Errors of the log sink cannot be logged.
func (w *logWriter) write(out io.Writer, line logLine) {
	for {
		_ = line.core.Write(line.entry, line.fields)
		last := len(w.waiting) == 0
		if last || w.encoded.Len() >= maxWrite {
			_, _ = out.Write(w.encoded.Bytes())
			w.encoded.Reset()
		}
		if last {
			return
		}
		line = <-w.waiting
	}
}

// Close waits until all lines are written, for at most closeTimeout. Call it once.
func (w *logWriter) Close() {
	close(w.closing)
	select {
	case <-w.done:
	case <-time.After(closeTimeout):
	}
}
