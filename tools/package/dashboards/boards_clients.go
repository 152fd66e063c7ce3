package dashboards

func providers() board {
	const questions, attempts = "causeway_upstream_requests_total", "causeway_resolution_attempts_total"
	return board{"providers", "Providers", "Who is asked, who answers, and who is given up for a while.", []section{
		{"Questions", []panel{
			{title: "By provider", unit: "reqps", stacked: true, queries: []query{{perSecond("provider", questions), "{{provider}}"}}},
			{title: "Failed", about: "Lost, timed out or unreadable, as a part of those that were sent.", unit: "percentunit", queries: []query{
				{perSecond("provider", questions, `outcome=~"unavailable|timeout|malformed"`) + " / " + perSecond("provider", questions, `outcome!~"open|held|quota"`), "{{provider}}"},
			}},
			{title: "Refused and throttled", about: "Refused: our key, plan or address. Somebody must look.", unit: "reqps", queries: []query{
				{perSecond("provider, outcome", questions, `outcome=~"refused|throttled"`), "{{provider}} {{outcome}}"},
			}},
			{title: "Not sent", unit: "reqps", queries: []query{{perSecond("provider, outcome", questions, `outcome=~"open|held|quota"`), "{{provider}} {{outcome}}"}}},
		}},
		{"Latency and limits", []panel{
			{title: "p50", unit: "s", queries: []query{{quantile("0.5", "provider", "causeway_upstream_request_duration_seconds"), "{{provider}}"}}},
			{title: "p95", unit: "s", queries: []query{{quantile("0.95", "provider", "causeway_upstream_request_duration_seconds"), "{{provider}}"}}},
			{title: "Asked again", unit: "reqps", queries: []query{{perSecond("provider", "causeway_upstream_retries_total"), "{{provider}}"}}},
			{title: "Limits used", about: "0.8 is what polling may use.", unit: "percentunit", queries: []query{{maximum("provider, window", of("causeway_upstream_quota_used_ratio")), "{{provider}} {{window}}"}}},
		}},
		{"Given up", []panel{
			{title: "Breakers", about: "0 closed, 1 half-open, 2 open.", unit: "short", queries: []query{{maximum("provider", of("causeway_upstream_breaker_state")), "{{provider}}"}}},
			{title: "Single banks", unit: "short", queries: []query{{maximum("provider", of("causeway_upstream_breaker_open_scopes")), "{{provider}}"}}},
			{title: "Breaker last changed", kind: "stat", unit: "dateTimeFromNow", queries: []query{{"max by (provider) (" + of("causeway_upstream_breaker_changed_timestamp_seconds") + ") * 1000", "{{provider}}"}}},
		}},
		{"Accounts", []panel{
			{title: "What came of asking", unit: "reqps", stacked: true, queries: []query{{perSecond("provider, outcome", attempts), "{{provider}} {{outcome}}"}}},
			{title: "Cannot tell", unit: "percentunit", queries: []query{
				{perSecond("provider, country", attempts, `outcome="cannot_tell"`) + " / " + perSecond("provider, country", attempts, `outcome!="abandoned"`), "{{provider}} {{country}}"},
			}},
			{title: "p95", unit: "s", queries: []query{{quantile("0.95", "provider, country", "causeway_resolution_attempt_seconds"), "{{provider}} {{country}}"}}},
		}},
		{"Sockets", []panel{
			{title: "Streaming", about: "1 while quotes come over a WebSocket, 0 while that provider is polled instead.", unit: "short", queries: []query{{of("causeway_upstream_socket_up"), "{{provider}} {{instance}}"}}},
			{title: "Connects", unit: "ops", queries: []query{{perSecond("provider, outcome", "causeway_upstream_socket_connects_total"), "{{provider}} {{outcome}}"}}},
			{title: "Messages", unit: "ops", queries: []query{{perSecond("provider, outcome", "causeway_upstream_socket_messages_total"), "{{provider}} {{outcome}}"}}},
		}},
		{"Lists of banks", []panel{
			{title: "Age", unit: "s", queries: []query{{maximum("directory, country", of("causeway_bank_directory_age_seconds")), "{{directory}} {{country}}"}}},
			{title: "Held back", about: "1 while a list waits for the operator.", unit: "short", queries: []query{{maximum("directory, country", of("causeway_bank_directory_held_back")), "{{directory}} {{country}}"}}},
			{title: "Vanished and unknown", unit: "short", queries: []query{{maximum("directory, country, state", of("causeway_bank_directory_institutions", `state=~"vanished|unjoined"`)), "{{directory}} {{country}} {{state}}"}}},
			{title: "Institutions", kind: "stat", unit: "short", queries: []query{{maximum("country", of("causeway_banks")), "{{country}}"}}},
		}},
	}}
}

func abuse() board {
	const requests, resolutions = "causeway_http_requests_total", "causeway_resolutions_total"
	return board{"abuse", "Abuse", "Who searches through account numbers, guesses keys, asks too much or sends what nobody should.", []section{
		{"Searching for names", []panel{
			{title: "Searches noticed", about: "Each is a caller who seemed to search through account numbers. The log names the caller's hash.", unit: "short", queries: []query{
				{sum("reason", "increase("+of("causeway_resolution_searches_total")+"[$__rate_interval])"), "{{reason}}"},
			}},
			{title: "Refused by the guard", unit: "reqps", queries: []query{{perSecond("reason", "causeway_resolution_refused_total"), "{{reason}}"}}},
			{title: "Numbers that do not exist", about: "As a part of the questions about accounts.", unit: "percentunit", queries: []query{
				{perSecond("country", resolutions, `outcome="not_found"`) + " / " + perSecond("country", resolutions), "{{country}}"},
			}},
		}},
		{"Accounts", []panel{
			{title: "What was told", unit: "reqps", stacked: true, queries: []query{{perSecond("outcome", resolutions), "{{outcome}}"}}},
			{title: "By country and channel", unit: "reqps", stacked: true, queries: []query{{perSecond("country, channel", resolutions), "{{country}} {{channel}}"}}},
			{title: "Remembered", about: "Few hits where there are usually many: somebody asks about numbers that nobody pays.", unit: "percentunit", queries: []query{
				{perSecond("", "causeway_resolution_cache_total", `result="hit"`) + " / " + perSecond("", "causeway_resolution_cache_total"), "hits"},
			}},
		}},
		{"Knocking", []panel{
			{title: "Without a key, or not allowed", unit: "reqps", queries: []query{{perSecond("operation, status", requests, `status=~"401|403"`), "{{operation}} {{status}}"}}},
			{title: "Over the limit", unit: "reqps", queries: []query{{perSecond("operation", "causeway_http_limited_total"), "{{operation}}"}}},
			{title: "Unreadable or too large", unit: "reqps", queries: []query{{perSecond("operation, status", requests, `status=~"400|413|415"`), "{{operation}} {{status}}"}}},
			{title: "Paths that do not exist", unit: "reqps", queries: []query{{perSecond("status", requests, `operation="unknown"`), "{{status}}"}}},
		}},
		{"Holding on", []panel{
			{title: "Streams that were too slow", unit: "ops", queries: []query{{perSecond("instance", "causeway_http_streams_ended_total", `reason="slow"`), "{{instance}}"}}},
			{title: "Streams open", unit: "short", queries: []query{{sum("instance", of("causeway_http_streams")), "{{instance}}"}}},
			{title: "Open files", unit: "percentunit", queries: []query{{of("process_open_fds") + " / " + of("process_max_fds"), "{{instance}}"}}},
		}},
	}}
}
