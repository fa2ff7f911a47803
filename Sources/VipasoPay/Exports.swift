// An app imports VipasoPay alone; importing VipasoSDK beside it brings the same types.
@_exported public import VipasoTypes
