// Package accounts is a part of the simulator.
package accounts

import "causeway/simulator"

type Account = simulator.Account
type Outcome = simulator.Outcome
type MagicNumber = simulator.MagicAccount
type Overlay = simulator.Overlay
type Setting = simulator.AccountSetting
type View = simulator.AccountView
type Queued = simulator.Queued
type Scripted = simulator.Scripted

const Found = simulator.Found
const Unknown = simulator.Unknown
const Closed = simulator.Closed
const Dormant = simulator.Dormant
const Slow = simulator.Slow
const Truncated = simulator.Truncated
const WrongPage = simulator.WrongPage
const Throttled = simulator.Throttled
const Failed = simulator.Failed
const Down = simulator.Down
const Hanging = simulator.Hanging
const Reset = simulator.Reset
const RenamedSecond = simulator.RenamedSecond
const SlowDelay = simulator.Delay
const MagicBank = simulator.MagicBank
const MagicWallet = simulator.MagicWallet

var MagicNumbers = simulator.MagicAccounts
var IsMagic = simulator.Magic
var MagicBanks = simulator.Banks
var Organization = simulator.Organization
var OrganizationNumber = simulator.OrganizationNumber
var Outcomes = simulator.Outcomes
