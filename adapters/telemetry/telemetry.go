// Package telemetry sets up the Prometheus registry and the OpenTelemetry tracing of a process.
//
// Traces are exported over OTLP/HTTP and configured by the standard OTEL_* environment variables:
//
//	OTEL_EXPORTER_OTLP_ENDPOINT         URL of the collector; /v1/traces is appended
//	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT  the same, used as it is; takes precedence
//	OTEL_EXPORTER_OTLP_HEADERS          headers for the collector, such as authorization
//	OTEL_EXPORTER_OTLP_TIMEOUT          milliseconds that one export may take, 10000 by default
//	OTEL_TRACES_SAMPLER                 parentbased_always_on by default
//	OTEL_TRACES_SAMPLER_ARG             ratio of the traceidratio samplers
//	OTEL_SERVICE_NAME                   causeway by default
//	OTEL_RESOURCE_ATTRIBUTES            further attributes of the process
//	OTEL_SDK_DISABLED                   true: no traces
//
// and by the other variables of the SDK (OTEL_BSP_*, certificates, compression). Without an
// endpoint nothing is recorded or exported, and requests pass through without a wrapper.
//
// Spans must not identify a person. The instrumentation libraries record URLs, addresses and error
// texts, so the exporter keeps only the attributes of a fixed list; see [allowed].
package telemetry

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewRegistry returns the registry of a process, with the metrics of the Go runtime, the process
// and the build.
func NewRegistry(version string) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "causeway_build_info",
		Help:        "Always 1, labeled with the version of Causeway and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	}, func() float64 { return 1 })
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	reg.MustRegister(build, collectors.NewGoCollector(), process)
	return reg
}
