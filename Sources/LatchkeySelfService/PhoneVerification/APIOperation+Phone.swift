import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// The id of the registration flow, which is called `flowId` in the phone verification API.
    private static let flowID = JSONSchema.Property.required("flowId", .uuid)

    /// The operation that sends a code (``PhoneRequest/Start``).
    static let startPhoneVerification = APIOperation(
        "startPhoneVerification",
        "Sends a code to the phone number of a user who is registering.",
        parameters: [.language],
        body: APIBody(
            schema: .object(
                [
                    .required("phoneNumber", .matching(#"^\+[1-9][0-9]{6,14}$"#)),
                    .required("phoneType", .oneOf("PRIMARY")), flowID,
                    .required("flowType", .oneOf("REGISTRATION")),
                ],
                isOpen: true
            )
        ),
        [
            APIResponse(201, "The code was sent."),
            .refusal(400, "`phone_invalid`, or the body is malformed."),
            .refusal(404, "The flow does not exist."),
            .refusal(410, "`self_service_flow_expired`: continue with `use_flow_id`."), .tooManyRequests,
            .refusal(502, "`delivery_failed`: the provider rejected the message permanently."),
        ]
    )

    /// The operation that checks a code (``PhoneRequest/Check``).
    static let checkPhoneVerification = APIOperation(
        "checkPhoneVerification",
        "Verifies the code that was sent to a phone number.",
        body: APIBody(
            schema: .object(
                [
                    .required("phoneType", .oneOf("PRIMARY")), flowID, .required("otp", .text),
                    .required("flowType", .oneOf("REGISTRATION")),
                ],
                isOpen: true
            )
        ),
        [
            APIResponse(
                200,
                "The phone number is verified in this flow.",
                .object([.required("message", .text)])
            ),
            .refusal(
                400,
                "`code_invalid`, `code_expired`, `code_used`, `code_attempts_exhausted`, or the body is malformed."
            ),
            .refusal(404, "The flow does not exist."),
            .refusal(410, "`self_service_flow_expired`: continue with `use_flow_id`."), .tooManyRequests,
        ]
    )
}
