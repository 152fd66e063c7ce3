package cli

// Arguments of the tools; mcpSandbox.request sends them.
type (
	inWorld struct {
		World string `json:"world,omitempty" jsonschema:"name of the world; it is created by its first use of the API"`
	}
	requestInWorld struct {
		inWorld

		Simulate string `json:"simulate,omitempty" jsonschema:"outcome for this call, such as unknown, all_down or error:too_many_requests; list_catalog outcomes has all"`
	}
	listBanksArgs struct {
		requestInWorld

		Country       string `json:"country" jsonschema:"ISO 3166-1 alpha-2 code, such as NG"`
		Query         string `json:"q,omitempty" jsonschema:"part of the name"`
		Channel       string `json:"channel,omitempty" jsonschema:"bank_transfer, mobile_money, pay_bill or till"`
		AccountNumber string `json:"account_number,omitempty" jsonschema:"Nigerian account number: only banks for which its check digit is valid"`
	}
	resolveAccountArgs struct {
		requestInWorld

		Country       string `json:"country_id" jsonschema:"ISO 3166-1 alpha-2 code, such as NG"`
		Currency      string `json:"currency_id" jsonschema:"ISO 4217 code, such as NGN"`
		Channel       string `json:"channel" jsonschema:"bank_transfer, mobile_money, pay_bill or till"`
		BankCode      string `json:"bank_code,omitempty" jsonschema:"code or alias from list_banks; 001 is the simulated bank, where the last digits of the number select the outcome"`
		AccountNumber string `json:"account_number" jsonschema:"account or phone number, such as 0123456789"`
		AccountName   string `json:"account_name,omitempty" jsonschema:"name to compare with the name of the holder"`
	}
	validateAddressArgs struct {
		requestInWorld

		Address  string `json:"address" jsonschema:"the address"`
		Currency string `json:"currency" jsonschema:"code of a cryptocurrency, such as USDT"`
		Network  string `json:"network,omitempty" jsonschema:"network, such as TRX or TRC20; the default network of the currency if absent"`
		Memo     string `json:"memo,omitempty" jsonschema:"memo or tag"`
		Type     string `json:"type" jsonschema:"the kind of value: address is the only one"`
	}
	listPairsArgs struct {
		requestInWorld

		Type     string `json:"type,omitempty" jsonschema:"fiat, crypto or stablecoins"`
		Currency string `json:"currency,omitempty" jsonschema:"currency on either side, such as NGN"`
		Base     string `json:"base,omitempty" jsonschema:"base currency, such as BTC"`
		Counter  string `json:"counter,omitempty" jsonschema:"counter currency, such as NGN"`
	}
	explainPriceArgs struct {
		requestInWorld

		Pair string `json:"pair" jsonschema:"ID of the pair, such as USDTNGN"`
	}
	depositAddressArgs struct {
		requestInWorld

		Currency string `json:"currency" jsonschema:"code of a cryptocurrency, such as BTC"`
		Network  string `json:"network,omitempty" jsonschema:"network; all that have a deposit wallet if absent"`
		Profile  string `json:"profile_id,omitempty" jsonschema:"user who receives the deposit; the default user if absent"`
	}
	createWorldArgs struct {
		ID    string `json:"id" jsonschema:"name of the world, such as that of a test"`
		Seed  string `json:"seed,omitempty" jsonschema:"the same seed gives the same names and prices; the name of the world if absent"`
		Clock struct {
			Now    string `json:"now,omitempty" jsonschema:"RFC 3339 time at which the world starts"`
			Frozen bool   `json:"frozen,omitempty" jsonschema:"whether the clock stands still until advance_clock"`
		} `json:"clock,omitzero" jsonschema:"how the clock starts; it follows that of the machine if absent"`
		MagicPairs bool `json:"magic_pairs,omitempty" jsonschema:"whether the world lists the magic pairs"`
	}
	advanceClockArgs struct {
		inWorld

		By string `json:"by,omitempty" jsonschema:"duration, such as 37s or 24h"`
		To string `json:"to,omitempty" jsonschema:"RFC 3339 time, or next-event; instead of by"`
	}
	setAccountArgs struct {
		inWorld

		Bank        string `json:"bank" jsonschema:"code or alias of the institution"`
		Number      string `json:"number" jsonschema:"account number"`
		Country     string `json:"country,omitempty" jsonschema:"country, if several countries use the code of the institution"`
		AccountName string `json:"account_name,omitempty" jsonschema:"name of the holder"`
		Outcome     string `json:"outcome,omitempty" jsonschema:"how providers respond, such as unknown; list_catalog outcomes has all"`
	}
	queueOutcomesArgs struct {
		inWorld

		Operation string   `json:"operation" jsonschema:"operation of the API, such as resolve-account"`
		Outcomes  []string `json:"outcomes" jsonschema:"outcomes of the next requests, in order; list_catalog outcomes has all"`
	}
	setMarketArgs struct {
		inWorld

		Pair      string `json:"pair" jsonschema:"ID of the pair, such as USDTNGN"`
		Pin       string `json:"pin,omitempty" jsonschema:"price at all venues, a decimal"`
		JumpBPS   int64  `json:"jump_bps,omitempty" jsonschema:"moves the price once by this many basis points"`
		SpreadBPS int64  `json:"spread_bps,omitempty" jsonschema:"spread between bid and ask in basis points"`
	}
	playScenarioArgs struct {
		inWorld

		Scenario string `json:"scenario" jsonschema:"name of an incident, such as dai-2020; list_catalog scenarios has all"`
	}
	addFaultArgs struct {
		inWorld

		Preset string `json:"preset,omitempty" jsonschema:"name of a preset instead of the other arguments, such as provider_down:paystack; list_catalog presets has all"`
		Match  struct {
			Plane     string `json:"plane,omitempty" jsonschema:"upstream for requests to providers, the default, or edge for responses to clients"`
			Provider  string `json:"provider,omitempty" jsonschema:"name of a provider; all if absent"`
			Operation string `json:"operation,omitempty" jsonschema:"operation of the provider, or of the API on the plane edge"`
			Nth       int    `json:"nth,omitempty" jsonschema:"only the nth matching request"`
		} `json:"match,omitzero" jsonschema:"the requests to fail; all if absent"`
		Effect struct {
			Kind       string `json:"kind" jsonschema:"kind, such as status, hang or truncate; list_catalog faults has all and the members that each takes"`
			Status     int    `json:"status,omitempty" jsonschema:"HTTP status"`
			Code       string `json:"code,omitempty" jsonschema:"error code in the body"`
			RetryAfter string `json:"retry_after,omitempty" jsonschema:"duration, such as 30s"`
			MS         int    `json:"ms,omitempty" jsonschema:"delay in milliseconds"`
			By         string `json:"by,omitempty" jsonschema:"duration by which timestamps are wrong"`
			Factor     int    `json:"factor,omitempty" jsonschema:"power of ten by which prices are wrong"`
		} `json:"effect,omitzero" jsonschema:"what goes wrong"`
		When struct {
			Probability string `json:"probability,omitempty" jsonschema:"share of the requests, a decimal from 0 to 1"`
			After       int    `json:"after,omitempty" jsonschema:"number of matching requests that pass first"`
			Every       int    `json:"every,omitempty" jsonschema:"only every nth of the others"`
			MaxHits     int    `json:"max_hits,omitempty" jsonschema:"number of hits after which the fault does nothing"`
			TTL         string `json:"ttl,omitempty" jsonschema:"duration of the fault by the clock of the world"`
		} `json:"when,omitzero" jsonschema:"which of the matching requests fail; all if absent"`
		Phase string `json:"phase,omitempty" jsonschema:"before or after the request is processed"`
	}
	removeFaultArgs struct {
		inWorld

		Fault string `json:"fault" jsonschema:"ID of the fault, such as f1"`
	}
	readJournalArgs struct {
		inWorld

		Operation string `json:"operation,omitempty" jsonschema:"only this operation, such as resolve-account"`
		Status    int    `json:"status,omitempty" jsonschema:"only responses with this HTTP status"`
		Error     string `json:"error,omitempty" jsonschema:"only responses with this error name"`
		Provider  string `json:"provider,omitempty" jsonschema:"only requests that called this provider"`
		Limit     int    `json:"limit,omitempty" jsonschema:"maximum number of entries, the newest; 50 if absent"`
	}
	listCatalogArgs struct {
		List string `json:"list" jsonschema:"accounts, addresses, errors, faults, operations, outcomes, pairs, presets or scenarios"`
	}
)
