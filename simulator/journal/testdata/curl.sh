# **** stands for what was masked: fill it in
curl 'http://localhost:8080/v1/banks?country=NG&account_number=01****89' -H 'Accept: application/json' -H 'If-None-Match: "8****f"'
# **** stands for what was masked: fill it in
curl 'http://localhost:8080/v1/recipients/resolve-bank-account' -H 'Content-Type: application/json' -H 'Sim-World: TestX/one' --data-raw '{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"058","account_number":"01****89","account_name":"Ad****su"}'
curl 'http://localhost:8080/v1/pairs/BTCNGN/price'
# **** stands for what was masked: fill it in
curl 'http://localhost:8080/v1/validate' --data-raw '{"type":"address","currency":"USDT","network":"TRC20","address":"TR****6t","memo":"in****di"}'
# **** stands for what was masked: fill it in
# the body of 7 bytes is not shown
curl -X 'DELETE' 'http://localhost:8080/v1/****?x=****'
curl -X 'OPTIONS' --request-target '*' 'http://localhost:8080'
curl --head 'http://localhost:8080/v1/pairs'
curl -X 'GET' 'http://localhost:8080/v1/pairs' --data-raw '{}'
curl -X 'POST' 'http://localhost:8080/v1/validate'
# **** stands for what was masked: fill it in
curl -X 'PUT' 'http://localhost:8080/v1/%1B%5B****f%C2%9B' --data-raw '{"a":"1****'\''"}'
curl 'http://127.0.0.1:9099/_sim/v1/worlds/TestX%2Fone/next' -H 'Content-Type: application/json' --data-raw '{"operation":"resolve-account","outcomes":["first_fails"]}'
