// Package world is a part of the simulator.
package world

import (
	"causeway/simulator"
)

type World = simulator.World
type Registry = simulator.Worlds
type Options = simulator.Options
type ClockOptions = simulator.StartOptions
type Shared = simulator.Shared
type Config = simulator.Config
type Hooks = simulator.Desk
type Clock = simulator.Clock
type ClockSetting = simulator.ClockSetting
type ClockState = simulator.ClockState
type Request = simulator.Call
type Attempt = simulator.Try
type Document = simulator.Document
type ProviderOrder = simulator.Order
type Playing = simulator.Playing

const Default = simulator.DefaultWorld

var New = simulator.New
var NewRegistry = simulator.NewWorlds
var NewClock = simulator.NewClock
var CheckID = simulator.CheckID
var CheckIDIn = simulator.CheckIDIn
var RequestFrom = simulator.CallOf
var WithRequest = simulator.WithCall

func Memo[T any](w *World, name string, from func() T) T { return simulator.Common(w, name, from) }

var ParseDocument = simulator.ParseDocument
