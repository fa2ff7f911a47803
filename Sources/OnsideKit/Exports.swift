// Apps import only OnsideKit; presenters use the purchases and the client behind it.
@_exported public import LatchkeyPurchases
