package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"net/netip"
	"strconv"
	"strings"
)

// listening are the sockets that listen on an address, by their inodes, as the kernel of Linux lists them; root is the file system. One that listens on all
// addresses of the machine counts, and where address is of that kind, all on its port do. Where the kernel does not tell there are none.
func listening(root fs.FS, address netip.AddrPort) []string {
	var out []string
	for _, name := range []string{"proc/net/tcp", "proc/net/tcp6"} {
		list, err := root.Open(name)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(list)
		lines.Scan() // the heading
		for lines.Scan() {
			at, inode, ok := listeningSocket(lines.Text())
			if !ok {
				break // those that listen come first
			}
			if at.Port() == address.Port() && (at.Addr() == address.Addr() || at.Addr().IsUnspecified() || address.Addr().IsUnspecified()) {
				out = append(out, inode)
			}
		}
		_ = list.Close()
	}
	return out
}

// listeningSocket reads a line of /proc/net/tcp or tcp6:
//
//	sl local_address remote_address state queues timer retransmits uid timeout inode …
func listeningSocket(line string) (at netip.AddrPort, inode string, ok bool) {
	const state, inodeAt, listens = 3, 9, "0A"
	fields := strings.Fields(line)
	if len(fields) <= inodeAt || fields[state] != listens {
		return at, "", false
	}
	host, port, _ := strings.Cut(fields[1], ":")
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return at, "", false
	}
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return at, "", false
	}
	for word := raw; len(word) > 0; word = word[4:] { // each is a number of the machine's own kind
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	ip, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)), fields[inodeAt], ok
}
