// Apps only need to import VipasoSDK. VipasoPay exports the same types, so an app can import both modules.
@_exported public import VipasoTypes
