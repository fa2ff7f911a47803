extension APIOperation {
    static let enrolDevice = APIOperation(
        "enrolDevice",
        "Certifies the key of a session's device, and renews its certificate.",
        credential: .session(isRequired: true),
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
            .refusal(401, "`session_inactive`: there is no session."),
            .refusal(403, "`session_refresh_required`: the login was too long ago to enrol a device."),
            .refusal(409, "`certificate_key_differs`: the session is tied to another key."), .tooManyRequests,
        ]
    )
}
