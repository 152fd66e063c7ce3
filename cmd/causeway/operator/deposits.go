package operator

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"causeway/core/transactions"
)

// DepositsPath is the path of the page of the networks whose blocks are read.
const DepositsPath = "/debug/deposits"

// ShowDeposits adds the page of the networks whose blocks are read. service returns the service, which a
// sandbox replaces, with blocks that are up to date.
func (h *Handler) ShowDeposits(service func(context.Context) *transactions.Service) {
	h.Handle("GET "+DepositsPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.deposits(w, r, service(r.Context()))
	}))
}

// depositsPage shows the networks whose blocks are read. It shows no users, addresses or transactions.
type depositsPage struct {
	page
	Networks   []networkRow `json:"networks"`
	Unassigned int          `json:"unassigned"` // transfers without a user, at most Most
	Most       int          `json:"-"`
}

// networkRow is the state of a network.
type networkRow struct {
	Network    string                 `json:"network"`
	Newest     int64                  `json:"newest_block"`
	Checked    time.Time              `json:"newest_block_seen,omitzero"`
	Read       int64                  `json:"read_block"`
	ReadTime   time.Time              `json:"read_block_time,omitzero"`
	Verified   int64                  `json:"verified_block"`
	Unread     int64                  `json:"unread_blocks"`
	Unverified int64                  `json:"unverified_blocks"`
	Holder     string                 `json:"holder,omitempty"`
	Problem    string                 `json:"problem,omitempty"`
	Backends   []transactions.Backend `json:"back_ends"`
}

func (h *Handler) deposits(w http.ResponseWriter, r *http.Request, service *transactions.Service) {
	const most = 1000
	p := depositsPage{page: h.newPage(r, "Deposits"), Networks: []networkRow{}, Most: most}
	all, err := service.Status(r.Context())
	if err == nil {
		unassigned, unknown := service.Unassigned(r.Context(), "", most)
		p.Unassigned, err = len(unassigned), unknown
	}
	if err != nil {
		h.cfg.Log.Warn("page of deposits not shown", zap.Error(err))
		WriteReply(w, http.StatusServiceUnavailable, "unavailable", "the database cannot be read; see the log")
		return
	}
	for _, s := range all {
		p.Networks = append(p.Networks, networkRow{
			Network: s.Network, Newest: s.Head, Checked: s.Checked, Read: s.Tip.Height, ReadTime: s.TipTime,
			Verified: s.Verified, Unread: s.Unread, Unverified: s.Unverified, Holder: s.Holder, Problem: s.Problem,
			Backends: s.Backends,
		})
	}
	h.respond(w, r, "deposits.html", p)
}
