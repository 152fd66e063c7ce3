package simulator

// tapeParameters are the query parameters that an entry of a tape may ask for: those that choose among markets. A key in a query is none of them.
var tapeParameters = []string{
	"base", "category", "counter", "currency", "ids", "include_24hr_change", "include_last_updated_at", "instId", "instType", "pair", "precision", "quotes",
	"symbol", "symbols", "type", "vs_currencies",
}

// tapeHeaders are the headers that an answer on a tape may have: those that somebody who asks about prices acts on.
var tapeHeaders = []string{
	"Cache-Control", "Content-Type", "Etag", "Last-Modified", "Retry-After", "X-Bapi-Limit", "X-Bapi-Limit-Status", "X-Mbx-Used-Weight", "X-Mbx-Used-Weight-1m",
}

// unrecorded are names of members, in lower case and with letters alone, that tell of people or open doors: no answer about prices has one.
var unrecorded = map[string]bool{
	"accesstoken": true, "accountname": true, "accountno": true, "accountnumber": true, "apikey": true, "authorization": true, "bankaccount": true,
	"beneficiaryname": true, "customername": true, "email": true, "firstname": true, "fullname": true, "lastname": true, "msisdn": true, "password": true,
	"phone": true, "phonenumber": true, "recipientname": true, "refreshtoken": true, "secret": true, "secretkey": true, "sessionid": true, "signature": true,
	"token": true,
}
