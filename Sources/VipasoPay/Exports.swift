// Apps import only VipasoPay; VipasoSDK exports the same types, so that both can be imported.
@_exported public import VipasoTypes
