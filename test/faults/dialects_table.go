package faults

// dialects by provider. Source: the formats that the simulated wire of each tells the source of.
var dialects = map[string]dialect{
	"paystack": {
		name: []string{"data", "account_name"}, about: []string{"data", "account_number"},
		refuse: func(text string) (int, string) {
			return 422, `{"status":false,"message":"` + text + `","type":"validation_error","code":"unknown"}`
		},
		fail: func(answer map[string]any) { answer["status"] = false },
	},
	Confirmation: {
		name: []string{"data", "accountHolderMatch"}, about: []string{"data", "accountOpen"},
		refuse: func(text string) (int, string) {
			return 400, `{"status":false,"message":"` + text + `","type":"validation_error","code":"unknown"}`
		},
		fail: func(answer map[string]any) { answer["status"] = false },
	},
	"flutterwave": {
		name: []string{"data", "account_name"}, about: []string{"data", "account_number"},
		refuse: func(text string) (int, string) { return 400, `{"status":"error","message":"` + text + `","data":null}` },
		fail:   func(answer map[string]any) { answer["status"] = "error" },
	},
	"korapay": {
		name: []string{"data", "account_name"}, about: []string{"data", "account_number"},
		refuse: func(text string) (int, string) { return 400, `{"status":false,"message":"` + text + `","data":{}}` },
		fail:   func(answer map[string]any) { answer["status"] = false },
	},
	"monnify": {
		name: []string{"responseBody", "accountName"}, about: []string{"responseBody", "accountNumber"},
		refuse: func(text string) (int, string) {
			return 400, `{"requestSuccessful":false,"responseMessage":"` + text + `","responseCode":"99"}`
		},
		fail: func(answer map[string]any) { answer["requestSuccessful"] = false },
	},
	"afriex": {
		name: []string{"data", "recipientName"}, about: []string{"data", "institutionCode"},
		refuse: func(text string) (int, string) {
			return 400, `{"code":"INVALID_PAYMENT_METHOD","error":"Bad Request","details":{"errorMessage":"` + text + `"}}`
		},
		fail: func(answer map[string]any) { answer["code"] = "INTERNAL_SERVER_ERROR" },
	},
	"daraja": {
		name: []string{"OrganizationName"}, about: []string{"OrganizationShortCode"},
		refuse: func(text string) (int, string) {
			return 200, `{"ConversationID":"x","ResponseCode":"4001","ResponseMessage":"` + text + `","DetailedMessage":"x"}`
		},
		fail: func(answer map[string]any) { answer["ResponseMessage"] = "Invalid Identifier" },
	},
	"busha": {
		name: []string{"data", "account_name"}, about: []string{"data", "account_number"},
		refuse: func(text string) (int, string) { return 404, `{"error":{"name":"not_found","message":"` + text + `"}}` },
		fail:   func(answer map[string]any) { answer["error"] = map[string]any{"name": "x", "message": "x"} },
	},
}
