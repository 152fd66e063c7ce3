package wire

// Credentials returns the credentials that the simulated providers accept, by provider and setting of
// its section in the configuration.
func Credentials() map[string]map[string]string {
	return map[string]map[string]string{
		Paystack: {
			"keys.ng": PaystackKey("NG"), "keys.gh": PaystackKey("GH"),
			"keys.ke": PaystackKey("KE"), "keys.za": PaystackKey("ZA"),
		},
		Flutterwave:       {"secret_key": FlutterwaveKey},
		Korapay:           {"secret_key": KorapayKey},
		Monnify:           {"api_key": MonnifyAPIKey, "secret_key": MonnifySecretKey},
		Afriex:            {"api_key": AfriexKey},
		Daraja:            {"consumer_key": DarajaKey, "consumer_secret": DarajaSecret},
		Busha:             {"api_key": BushaKey},
		OpenExchangeRates: {"app_id": AppID},
	}
}
