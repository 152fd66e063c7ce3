// Package incidents is a part of the simulator.
package incidents

import "causeway/simulator"

type Scenario = simulator.Scenario
type Verdict = simulator.Verdict

var Get = simulator.ScenarioOf
var Names = simulator.Scenarios
var Parse = simulator.ParseScenario
