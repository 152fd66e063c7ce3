// Ties the parts of the console together.
import { start as calls } from "./calls.js";
import { start as live } from "./live.js";
import { start as forms } from "./forms.js";
import { start as filters } from "./filters.js";
import { start as chart } from "./chart.js";
import { start as copying } from "./copying.js";

calls();
forms();
filters();
copying();
chart();
live();
