import LatchkeyServerKit

extension APIOperation {
    /// The operation of ``AddressEndpoints``, which Kratos does not have; unknown members of the body are
    /// ignored.
    static let releaseAddress = APIOperation(
        "releaseAddress",
        "Releases a phone number or an e-mail address from the accounts that hold it, for its new owner.",
        body: APIBody(schema: .object([.required("address", .text)], isOpen: true)),
        [
            APIResponse(
                200,
                "The accounts that held the address. It stays in their traits, without any role.",
                .object([.required("identities", .array(.uuid))])
            ),
            .refusal(400, "The value is neither a phone number nor an e-mail address."),
            .refusal(404, "No account has this address."),
        ]
    )
}
