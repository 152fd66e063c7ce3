package main

import (
	"net/netip"
	"slices"
	"testing"
	"testing/fstest"
)

// What Linux 6.18 says on a machine of the usual byte order.
const (
	tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 0000000000000000 100 0 0 10 0                    
   1: 0500000A:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 102 1 0000000000000000 100 0 0 10 0                    
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 103 1 0000000000000000 20 4 30 10 -1                   
   3: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 104 1 0000000000000000 100 0 0 10 0                    
`
	tcp6Table = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 201 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000001000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 202 1 0000000000000000 100 0 0 10 0
   2: gibberish
`
)

func TestWhoListens(t *testing.T) {
	t.Parallel()
	system := fstest.MapFS{"proc/net/tcp": {Data: []byte(tcpTable)}, "proc/net/tcp6": {Data: []byte(tcp6Table)}}
	for address, want := range map[string][]string{
		"127.0.0.1:8080": {"101", "201"}, // and 104, if it came before the connections, as the kernel has it
		"10.0.0.5:8080":  {"102", "201"},
		"10.0.0.6:8080":  {"201"},
		"[::]:8080":      {"101", "102", "201"},
		"[::1]:8081":     {"202"},
		"127.0.0.1:8081": nil,
	} {
		if got := listening(system, netip.MustParseAddrPort(address)); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
	if got := listening(fstest.MapFS{}, netip.MustParseAddrPort("[::]:8080")); got != nil {
		t.Errorf("where the kernel says nothing: %v", got)
	}
}
