// Apps only need to import VipasoPay. VipasoSDK exports the same types, so an app can import both modules.
@_exported public import VipasoTypes
