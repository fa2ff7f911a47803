// Apps that only import LatchkeyPurchases can also use the client.
@_exported public import Latchkey
