import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Describes the operation of ``AddressEndpoints``.
    ///
    /// This operation isn't part of Kratos's API. Unknown members in the body are ignored.
    static let releaseAddress = APIOperation(
        "releaseAddress",
        "Releases a phone number or e-mail address from its current accounts, so that its new owner can use it.",
        body: APIBody(schema: .object([.required("address", .text)])),
        [
            APIResponse(
                200,
                "The accounts that had the address. They can no longer use it to log in, but it remains in their traits.",
                .object([.required("identities", .array(.uuid))])
            ),
            .refusal(400, "The value is neither a phone number nor an e-mail address."),
            .refusal(404, "No account has this address."),
        ]
    )
}
