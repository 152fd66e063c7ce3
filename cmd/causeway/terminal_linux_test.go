package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// onTerminal runs a command line on a terminal of a width, and returns what it shows.
func (l lab) onTerminal(t *testing.T, width uint16, line string) string {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = controller.Close() }()
	fd := int(controller.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: 24}); err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string)
	go func() {
		var text bytes.Buffer
		_, _ = io.Copy(&text, controller) // it ends with EIO
		shown <- strings.ReplaceAll(text.String(), "\r", "")
	}()
	if code := l.run(t, line, terminal); code != 0 {
		t.Errorf("%s: exit code %d", line, code)
	}
	_ = terminal.Close()
	return <-shown
}

// tables are the commands that print tables, with what must be in the output whole. ADDRESS stands for an address of
// 63 characters.
var tables = []struct {
	line string
	want []string
}{
	{"banks --country NG", []string{"000013", "Guaranty Trust Bank"}},
	{"countries", []string{"NG", "Nigeria", "mobile_money"}},
	{"currencies", []string{"USDT", "ARBITRUM"}},
	{"resolve --country NG --currency NGN --bank 058 --account 0123456789", []string{"0123456789", "TEST BELLO 6746", "check_digit"}},
	{"pairs", []string{"BTCNGN", "fresh"}},
	{"price BTCNGN", []string{"BTCNGN", "busha, luno, quidax"}},
	{"deposits list --user u1", []string{"BTC", "ADA", "ADDRESS"}},
	{"deposits regenerate ADA --user u1 --idempotency-key one", []string{"addr_test1"}},
	{"deposits owner ADDRESS --network ADA", []string{"ADDRESS", "u1"}},
	{"deposits status", []string{"EVM", "SOL"}},
	{"deposits chains", []string{"BSC", "no process"}},
	{"deposits unassigned", nil},
	{"webhooks list", []string{"shop", "shop.example.com"}},
	{"webhooks deliveries", nil},
	{"keys list", []string{"a-name-of-many-characters-for-a-key", "resolve-account"}},
	{"prices list", []string{"BTC/NGN 3 of 2", "USDT/NGN 3 of 2", "USDT/USD 5 of 2"}},
	{"doctor --offline --mode sandbox", []string{"configuration"}},
	{"doctor chains --mode sandbox", nil},
	{"sim world list", []string{"TestCheckout/pays", "2026-11-16T12:00:00Z"}},
	{"sim world show", []string{"TestCheckout/pays", "2026-11-16T12:00:00Z"}},
	{"sim journal list", []string{"list-currencies", "200"}},
	{"sim world reset", []string{"TestCheckout/pays"}},
	{"sim world stop", []string{"TestCheckout/pays"}},
	{"sim clock show", []string{"2026-11-16T12:00:00Z"}},
	{"sim clock freeze", []string{"2026-11-16T12:00:00Z"}},
	{"sim clock run", []string{"false"}},
	{"sim clock advance 5s", []string{"2026-11-16T12:00:"}},
	{"sim clock set frozen=true", []string{"true"}},
	{"sim market set USDTNGN pin=1400.50 venues.quidax.state=down", []string{"1400.5", "quidax", "down"}},
	{"sim market list", []string{"USDT/NGN"}},
	{"sim market show USDTNGN", []string{"USDT/NGN", "1400.5"}},
	{"sim market lift USDTNGN", []string{"USDT/NGN"}},
	{"sim account set 000013 0690000032 account_name=ADA", []string{"0690000032", "ADA"}},
	{"sim account list", []string{"0690000032"}},
	{"sim account show 000013 0690000032", []string{"0690000032"}},
	{"sim account remove 000013 0690000032", []string{"0690000032"}},
	{"sim fault add match.provider=kraken effect.kind=latency effect.ms=300 when.probability=0.5", []string{"latency", "ms=300", "kraken"}},
	{"sim fault list", []string{"latency", "ms=300", "kraken"}},
	{"sim fault remove f1", nil},
	{"sim fault clear", nil},
	{"sim next resolve-account unknown all_down", []string{"resolve-account", "unknown", "all_down"}},
	{"sim next list", []string{"resolve-account"}},
	{"sim next clear", nil},
	{"sim play dai-2020", []string{"dai-2020"}},
	{"sim chain list", []string{"BSC"}},
	{"sim chain mine BSC 2", nil},
	{"sim chain reorganize BSC 1", nil},
	{"sim webhook put shop http://127.0.0.1:9/ account=a", []string{"shop", "http://127.0.0.1:9/", "whsec_"}},
	{"sim webhook list", []string{"shop", "http://127.0.0.1:9/", "whsec_"}},
	{"sim webhook remove shop", nil},
	{"sim catalog accounts", []string{"404", "unknown"}},
	{"sim catalog pairs", []string{"TFLATNGN"}},
	{"sim catalog outcomes", []string{"error:too_many_requests"}},
	{"sim catalog errors", []string{"world_expired"}},
	{"sim catalog addresses", []string{"bad_checksum"}},
	{"sim catalog faults", []string{"inverted"}},
	{"sim catalog presets", []string{"slow_tail"}},
	{"sim catalog scenarios", []string{"dai-2020"}},
	{"sim catalog operations", []string{"resolve-account"}},
	{"sim catalog divergences", nil},
	{"sim world fork copy", []string{"copy"}},
	{"sim world delete copy", []string{"copy"}},
	{"sim world create TestCheckout/more clock.now=2026-11-16T12:00:00Z", []string{"TestCheckout/more", "2026-11-16T12:00:"}},
	{"sim world delete TestCheckout/more", []string{"TestCheckout/more"}},
}

// TestTables runs every command that prints a table on narrow terminals: no value is shortened, and no line is wider
// than the terminal unless it is a single value.
func TestTables(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, width := range []uint16{80, 60} {
		t.Run(fmt.Sprintf("%d columns", width), func(t *testing.T) {
			world := fmt.Sprintf("TestCheckout/pays-in-%d-columns", width)
			if code := l.run(t, "sim world create "+world+" clock.now=2026-11-16T12:00:00Z clock.frozen=true", io.Discard); code != 0 {
				t.Fatal(code)
			}
			for _, setUp := range []string{
				"keys create --name a-name-of-many-characters-for-a-key", "currencies --world " + world,
				"deposits list BTC --user u1",
			} {
				if code := l.run(t, setUp, io.Discard); code != 0 {
					t.Errorf("%s: exit code %d", setUp, code)
				}
			}
			var list bytes.Buffer
			l.run(t, "deposits list ADA --user u1 -o csv", &list)
			address := regexp.MustCompile("addr_test1[0-9a-z]+").FindString(list.String())
			for _, table := range tables {
				line := strings.ReplaceAll(table.line, "ADDRESS", address)
				if strings.HasPrefix(line, "sim ") && !strings.Contains(line, " TestCheckout") {
					line += " --world " + world
				}
				checkWidth(t, int(width), line, l.onTerminal(t, width, line), table.want, address)
			}
		})
	}
}

func checkWidth(t *testing.T, width int, line, shown string, want []string, address string) {
	t.Helper()
	shown = regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(shown, "") // colors
	for row := range strings.Lines(shown) {
		row = strings.TrimRight(row, " \n")
		if strings.Contains(row, "…") || utf8.RuneCountInString(row) > width && !strings.HasPrefix(row, "Not shown: ") &&
			len(strings.Fields(row)) > 3 {
			t.Errorf("%s: a line of %d characters: %s", line, utf8.RuneCountInString(row), row)
		}
	}
	for _, text := range want {
		if text = strings.ReplaceAll(text, "ADDRESS", address); !strings.Contains(shown, text) {
			t.Errorf("%s: no %q in\n%s", line, text, shown)
		}
	}
}

// TestTables_Complete checks that tables has every command with the flag --wide, which commands with a table have.
func TestTables_Complete(t *testing.T) {
	t.Parallel()
	elsewhere := []string{ // in package cli
		"causeway doctor providers", "causeway doctor resolve",
	}
	var tested []string
	for _, table := range tables {
		cmd, _, err := command().Find(strings.Fields(table.line))
		if err != nil {
			t.Fatal(err)
		}
		tested = append(tested, cmd.CommandPath())
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Flags().Lookup("wide") != nil && !slices.Contains(append(tested, elsewhere...), path) {
			t.Errorf("%s is not tested", path)
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(command())
}
