// Module VipasoTypes.
