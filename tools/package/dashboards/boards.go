package dashboards

// boards are all dashboards: what clients get, what prices are made of, how providers do, and who misuses the service.
func boards() []board {
	return []board{api(), prices(), providers(), abuse()}
}

func api() board {
	const requests, latency = "causeway_http_requests_total", "causeway_http_request_duration_seconds"
	return board{"api", "API", "What clients ask, what they are told, how long it takes, and what the processes use for it.", []section{
		{"Traffic", []panel{
			{title: "Requests", unit: "reqps", stacked: true, queries: []query{{perSecond("operation", requests), "{{operation}}"}}},
			{title: "Errors of ours", about: "Answers 5xx. 503 where a provider cannot be asked is one of them.", unit: "reqps", stacked: true, queries: []query{{perSecond("operation, status", requests, `status=~"5.."`), "{{operation}} {{status}}"}}},
			{title: "Errors of clients", unit: "reqps", stacked: true, queries: []query{{perSecond("status", requests, `status=~"4.."`), "{{status}}"}}},
		}},
		{"Latency", []panel{
			{title: "All but accounts and streams", unit: "s", queries: []query{
				{quantile("0.5", "", latency, `operation!~"resolve-account|stream-pairs"`), "p50"},
				{quantile("0.95", "", latency, `operation!~"resolve-account|stream-pairs"`), "p95"},
				{quantile("0.99", "", latency, `operation!~"resolve-account|stream-pairs"`), "p99"},
			}},
			{title: "p99 by operation", unit: "s", queries: []query{{quantile("0.99", "operation", latency, `operation!="stream-pairs"`), "{{operation}}"}}},
			{title: "Accounts", about: "Mostly the providers' time; a client waits 8 s at most.", unit: "s", queries: []query{
				{quantile("0.5", "", latency, `operation="resolve-account"`), "p50"}, {quantile("0.99", "", latency, `operation="resolve-account"`), "p99"},
			}},
		}},
		{"Now", []panel{
			{title: "In flight", unit: "short", queries: []query{{sum("instance", of("causeway_http_requests_in_flight")), "{{instance}}"}}},
			{title: "Streams", unit: "short", queries: []query{{sum("instance", of("causeway_http_streams")), "{{instance}}"}}},
			{title: "Streams ended", unit: "ops", queries: []query{{perSecond("reason", "causeway_http_streams_ended_total"), "{{reason}}"}}},
			{title: "Versions", kind: "stat", unit: "short", queries: []query{{"count by (version) (" + of("causeway_build_info") + ")", "{{version}}"}}},
		}},
		{"Processes", []panel{
			{title: "Memory", unit: "bytes", queries: []query{{of("process_resident_memory_bytes"), "{{instance}}"}}},
			{title: "CPU", unit: "short", queries: []query{{"rate(" + of("process_cpu_seconds_total") + "[$__rate_interval])", "{{instance}}"}}},
			{title: "Goroutines", unit: "short", queries: []query{{of("go_goroutines"), "{{instance}}"}}},
			{title: "Open files", unit: "percentunit", queries: []query{{of("process_open_fds") + " / " + of("process_max_fds"), "{{instance}}"}}},
		}},
		{"Shared server", []panel{
			{title: "Answers", about: "1 while Redis answers; nothing where none is configured.", unit: "short", queries: []query{{of("causeway_redis_up"), "{{instance}}"}}},
			{title: "Failures", unit: "ops", queries: []query{{perSecond("use", "causeway_redis_failures_total"), "{{use}}"}}},
			{title: "Without it", about: "Times that a process went on by itself.", unit: "ops", queries: []query{{perSecond("use", "causeway_redis_alone_total"), "{{use}}"}}},
		}},
	}}
}

func prices() board {
	const pairs = "causeway_pairs"
	return board{"prices", "Prices", "What is published, how sure it is, and how its sources do.", []section{
		{"Published", []panel{
			{title: "Pairs by status", unit: "short", stacked: true, queries: []query{{"max by (status) (sum by (instance, status) (" + of(pairs) + "))", "{{status}}"}}},
			{title: "Not fresh, by class", unit: "percentunit", queries: []query{
				{maximum("class", "1 - sum by (instance, class) ("+of(pairs, `status="fresh"`)+") / sum by (instance, class) ("+of(pairs)+")"), "{{class}}"},
			}},
			{title: "Age of the oldest price", unit: "s", queries: []query{{maximum("class", of("causeway_price_age_seconds")), "{{class}}"}}},
			{title: "Snapshots", unit: "ops", queries: []query{{"rate(" + of("causeway_price_publications_total") + "[$__rate_interval])", "{{instance}}"}}},
		}},
		{"Sure", []panel{
			{title: "Confidence", about: "As a part of the price: the largest of a class. Above 0.02 it is not traded.", unit: "percentunit", queries: []query{{maximum("class", of("causeway_price_confidence_ratio")), "{{class}}"}}},
			{title: "Families", about: "The fewest that stand by a leg's rate.", unit: "short", queries: []query{{"min by (class) (" + of("causeway_price_families_used") + ")", "{{class}}"}}},
			{title: "Held back", about: "Quotes that broke an invariant, and snapshots that would have given money away.", unit: "ops", queries: []query{
				{perSecond("", "causeway_price_refusals_total"), "quotes"}, {perSecond("", "causeway_price_publications_refused_total"), "snapshots"},
			}},
		}},
		{"Sources", []panel{
			{title: "Silent for", unit: "s", queries: []query{{maximum("source", of("causeway_source_age_seconds")), "{{source}}"}}},
			{title: "Last answered", kind: "stat", unit: "dateTimeFromNow", queries: []query{{"max by (source) (" + of("causeway_source_last_success_timestamp_seconds") + ") * 1000", "{{source}}"}}},
			{title: "Latency", unit: "s", queries: []query{{maximum("source", of("causeway_source_latency_seconds")), "{{source}}"}}},
			{title: "Failed polls", unit: "percentunit", queries: []query{
				{perSecond("source", "causeway_source_polls_total", `outcome="failed"`) + " / " + perSecond("source", "causeway_source_polls_total"), "{{source}}"},
			}},
		}},
		{"Replicas", []panel{
			{title: "Who leads", about: "Nothing where no Redis is configured.", unit: "short", queries: []query{{of("causeway_book_role") + " == 1", "{{instance}} {{role}}"}}},
			{title: "Editions", about: "Refused ones were not signed by one of us.", unit: "ops", queries: []query{{perSecond("outcome", "causeway_book_editions_total"), "{{outcome}}"}}},
			{title: "Until it is shown, p99", unit: "s", queries: []query{{quantile("0.99", "instance", "causeway_book_delay_seconds"), "{{instance}}"}}},
			{title: "Snapshot", unit: "none", queries: []query{{of("causeway_book_number"), "{{instance}}"}}},
		}},
		{"Votes", []panel{
			{title: "Refused observations", unit: "ops", stacked: true, queries: []query{{perSecond("source, reason", "causeway_source_rejects_total"), "{{source}} {{reason}}"}}},
			{title: "Markets without a vote", unit: "short", stacked: true, queries: []query{{maximum("source, reason", of("causeway_source_excluded_markets")), "{{source}} {{reason}}"}}},
		}},
	}}
}
