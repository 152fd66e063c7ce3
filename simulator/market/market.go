// Package market is a part of the simulator.
package market

import "causeway/simulator"

type Market = simulator.Market
type Setting = simulator.Setting
type VenueSetting = simulator.VenueSetting
type State = simulator.State
type Book = simulator.Book
type Day = simulator.Day
type Listing = simulator.Listing
type Amount = simulator.Amount
type SettingState = simulator.SettingState

const Up = simulator.VenueUp
const Down = simulator.VenueDown
const Paused = simulator.VenuePaused
const Absent = simulator.VenueAbsent
const Kraken = simulator.Kraken
const Binance = simulator.Binance
const Coinbase = simulator.Coinbase
const OKX = simulator.OKX
const Bybit = simulator.Bybit
const Bitstamp = simulator.Bitstamp
const Gemini = simulator.Gemini
const Quidax = simulator.Quidax
const Busha = simulator.Busha
const Luno = simulator.Luno

var MagicPairs = simulator.MagicPairs
var MagicListings = simulator.MagicListings
