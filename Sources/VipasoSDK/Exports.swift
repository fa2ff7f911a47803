// An app imports VipasoSDK alone; importing VipasoPay beside it brings the same types.
@_exported public import VipasoTypes
