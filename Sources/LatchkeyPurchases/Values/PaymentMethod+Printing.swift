import LatchkeyModel

extension PaymentMethod: CustomReflectable {
    /// A mirror for printing, in which the digits of the card number are masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "kind": kind, "brand": brand, "lastFour": Masked(), "isDefault": isDefault,
                "createdAt": createdAt as Any,
            ],
            displayStyle: .struct
        )
    }
}
