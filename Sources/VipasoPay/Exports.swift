// Apps import only VipasoPay; VipasoSDK exports the same types, so an app can import both.
@_exported public import VipasoTypes
