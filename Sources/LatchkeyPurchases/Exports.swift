// Apps that import only LatchkeyPurchases can also use the client.
@_exported public import Latchkey
