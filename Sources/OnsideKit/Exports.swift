// Apps only need to import OnsideKit. Presenters also use the purchases API and the underlying client.
@_exported public import LatchkeyPurchases
