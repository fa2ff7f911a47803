import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Enrols a device key.
    ///
    /// This operation isn't part of Kratos's API.
    static let enrolDevice = APIOperation(
        "enrolDevice",
        "Issues or renews the device certificate of a session.",
        body: APIBody(schema: .object([.required("csr", .text)], isOpen: true)),
        [
            APIResponse(
                200,
                "The certificate, in PEM.",
                .object([
                    .required("certificate", .text), .required("chain", .array(.text)),
                    .required("serialNumber", .matching("^[0-9a-f]+$")), .required("notAfter", .time),
                    .required("sessionExpiresAt", .time),
                ])
            ),
            .refusal(400, "`csr_invalid`, or the body is malformed."),
            .refusal(401, "`session_inactive`: the request has no active session."),
            .refusal(403, "`session_refresh_required`: the last login is too old to enrol a device."),
            .refusal(409, "`certificate_key_differs`: the session is bound to another key."),
            .tooManyRequests,
        ]
    )
}
