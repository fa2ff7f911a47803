// Module VipasoSDK.
