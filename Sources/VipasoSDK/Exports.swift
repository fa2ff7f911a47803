// Apps import only VipasoSDK; VipasoPay exports the same types, so an app can import both.
@_exported public import VipasoTypes
