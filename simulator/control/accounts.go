package control

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
)

// bankBody is an institution as the API shows it.
type bankBody struct {
	Country  string         `json:"country" doc:"Country of the institution" example:"NG"`
	Code     string         `json:"code" doc:"Code of the institution" example:"000013"`
	Name     string         `json:"name" doc:"Name of the institution" example:"Guaranty Trust Bank"`
	Type     core.BankType  `json:"type" doc:"Type of the institution" example:"bank"`
	Currency string         `json:"currency" doc:"Currency of its accounts" example:"NGN"`
	Channels []core.Channel `json:"channels" doc:"Payout channels" example:"bank_transfer"`
	Aliases  []string       `json:"aliases" doc:"Other codes of the institution" example:"058,GTBINGLA"`
	Magic    bool           `json:"magic" doc:"Whether the last digits of an account number select the outcome" example:"false"`
}

type listBanksInput struct {
	WorldPath

	Country string `query:"country" doc:"Only institutions of this country" example:"NG"`
}

// AccountPath is the input of an operation about an account.
type AccountPath struct {
	WorldPath

	Bank   string `path:"bank" doc:"Code or alias of the institution, or pay_bill or till" example:"000013"`
	Number string `path:"number" doc:"Account number, or the number of the pay bill or till" example:"0123456789"`
}

type accountInput struct {
	AccountPath

	Country string `query:"country" doc:"Country of the institution, if several countries use its code" example:"NG"`
}

type setAccountInput struct {
	AccountPath

	Body accounts.Overlay
}

type queueInput struct {
	WorldPath

	Body accounts.Queued
}

type clearQueueInput struct {
	WorldPath

	Operation string `query:"operation" doc:"Only the queue of this operation" example:"resolve-account"`
}

// maxOutcomes is how many outcomes one call can queue.
const maxOutcomes = 1_000

func (a *api) registerAccounts() {
	const account = "/accounts/{bank}/{number}"
	tags := []string{"Accounts"}
	registerInWorld(a, huma.Operation{
		OperationID: "list-institutions", Method: http.MethodGet, Path: "/banks", Tags: tags,
		Summary: "List the simulated institutions",
		Description: "Returns the institutions that the simulated providers know, which are the same in every world. At " +
			"`magic` institutions the last digits of an account number select the outcome; the catalog lists them.",
	}, "Institutions", listInstitutions)
	registerInWorld(a, huma.Operation{
		OperationID: "list-accounts", Method: http.MethodGet, Path: "/accounts", Tags: tags,
		Summary: "List the accounts that were set", Description: "By country, institution and number.",
	}, "Accounts", func(_ context.Context, w *world.World, _ *WorldPath) ([]accounts.View, error) {
		return w.Accounts().List(), nil
	})
	registerInWorld(a, huma.Operation{
		OperationID: "get-account", Method: http.MethodGet, Path: account, Tags: tags, Summary: "Show an account",
		Description: "Returns the holder of an account, the outcome of requests for it, and what decided them.",
	}, "Account", func(_ context.Context, w *world.World, in *accountInput) (accounts.View, error) {
		return w.Accounts().View(in.Bank, in.Number, in.Country)
	})
	registerChange(a, huma.Operation{
		OperationID: "set-account", Method: http.MethodPut, Path: account, Tags: tags, Summary: "Set an account",
		Description: "Sets the name of the holder, the outcome of requests for the account, or both. It applies from the " +
			"next request on: cached accounts of the world are dropped.",
	}, "Account set", func(_ context.Context, w *world.World, in *setAccountInput) (accounts.View, error) {
		if err := w.Accounts().Set(in.Bank, in.Number, in.Body); err != nil {
			return accounts.View{}, err
		}
		return w.Accounts().View(in.Bank, in.Number, in.Body.Country)
	})
	registerChange(a, huma.Operation{
		OperationID: "remove-account", Method: http.MethodDelete, Path: account, Tags: tags,
		Summary: "Remove what was set for an account", Description: "The seed of the world decides again.",
	}, "Account removed", func(_ context.Context, w *world.World, in *accountInput) (accounts.View, error) {
		if err := w.Accounts().Remove(in.Bank, in.Number, in.Country); err != nil {
			return accounts.View{}, err
		}
		return w.Accounts().View(in.Bank, in.Number, in.Country)
	})
	registerChange(a, huma.Operation{
		OperationID: "queue-outcomes", Method: http.MethodPost, Path: "/next", Tags: tags,
		Summary: "Queue outcomes of the next requests",
		Description: "Each outcome applies to one request for the operation, in order, after those that are queued. A " +
			"request with the header `Sim-Scenario` takes none. The response lists all queues.",
	}, "Outcomes queued", a.queueOutcomes)
	registerInWorld(a, huma.Operation{
		OperationID: "list-outcomes", Method: http.MethodGet, Path: "/next", Tags: tags,
		Summary: "List the queued outcomes", Description: "By operation, in order.",
	}, "Outcomes", func(_ context.Context, w *world.World, _ *WorldPath) ([]accounts.Queued, error) {
		return w.Queue().List(), nil
	})
	registerChange(a, huma.Operation{
		OperationID: "clear-outcomes", Method: http.MethodDelete, Path: "/next", Tags: tags,
		Summary: "Remove queued outcomes", Description: "Of one operation, or of all.",
	}, "Outcomes removed", func(_ context.Context, w *world.World, in *clearQueueInput) ([]accounts.Queued, error) {
		if operations := core.OperationIDs(); in.Operation != "" && !slices.Contains(operations, in.Operation) {
			return nil, core.InvalidField("operation", "is %s; accepted: %s", core.Quoted(in.Operation),
				strings.Join(operations, ", "))
		}
		w.Queue().Clear(in.Operation)
		return w.Queue().List(), nil
	})
}

func listInstitutions(_ context.Context, w *world.World, in *listBanksInput) ([]bankBody, error) {
	country := strings.ToUpper(in.Country)
	out := []bankBody{}
	var countries []string
	for _, b := range w.Banks() {
		countries = append(countries, b.Country)
		if country == "" || b.Country == country {
			out = append(out, bankBody{
				Country: b.Country, Code: b.Code, Name: b.Name, Type: b.Type, Currency: b.Currency, Channels: b.Channels,
				Aliases: append([]string{}, b.Aliases()...), Magic: accounts.IsMagic(b),
			})
		}
	}
	if len(out) == 0 && country != "" {
		return nil, core.InvalidField("country", "is %s; accepted: %s", core.Quoted(country),
			strings.Join(slices.Compact(countries), ", "))
	}
	return out, nil
}

func (a *api) queueOutcomes(_ context.Context, w *world.World, in *queueInput) ([]accounts.Queued, error) {
	if err := a.rejectWithoutAPI("operation", "accounts, markets, and faults of the plane upstream"); err != nil {
		return nil, err
	}
	if n := len(in.Body.Outcomes); n > maxOutcomes {
		return nil, core.InvalidField("outcomes", "are %d; accepted: at most %d in one call", n, maxOutcomes)
	}
	if err := w.Queue().Add(in.Body.Operation, in.Body.Outcomes...); err != nil {
		return nil, err
	}
	return w.Queue().List(), nil
}
