import LatchkeyWire

/// Converts error responses from the server.
extension LatchkeyError {
    /// Creates an error from a server response that rejects a request.
    ///
    /// The code is derived from the error id if there is one, otherwise from the message ids, and otherwise
    /// from the status.
    init(refusal: ServerRefusal) {
        let code = Self.code(refusal)
        self.init(
            code,
            message: refusal.reason ?? refusal.fields.first?.message
                ?? "The server rejected the request with status \(refusal.status).",
            fields: refusal.fields,
            retry: refusal.retryAfter.map { .after($0) } ?? (Self.later.contains(code) ? .later : .never),
            cause: refusal
        )
    }

    /// The codes of failures that may be temporary, even if the server didn't say when to retry.
    private static let later: Set<Code> = [.tooManyRequests, .serverFailed, .deliveryFailed]

    private static func code(_ refusal: ServerRefusal) -> Code {
        if let id = refusal.id, let code = byID[ErrorID(rawValue: id)] { return code }
        for id in refusal.messageIDs {
            if let code = byMessage[MessageID(rawValue: id)] { return code }
        }
        return switch refusal.status {
        case 400 where !refusal.fields.isEmpty: .invalidInput
        case 401 where refusal.endsSession: .sessionEnded
        case 404: .flowUnknown
        case 410: .flowExpired
        case 429: .tooManyRequests
        case 500...: .serverFailed
        default: .refused
        }
    }

    private static let byID: [ErrorID: Code] = [
        .flowExpired: .flowExpired,
        .flowReplaced: .flowExpired,
        .flowDisabled: .flowDisabled,
        .sessionRefreshRequired: .reauthenticationRequired,
        .anotherProofRequired: .reauthenticationRequired,
        .identityMismatch: .identityMismatch,
        .accountChanged: .identityMismatch,
        .approvalExpired: .flowExpired,
        .verifiedAddressRequired: .addressNotVerified,
        .phoneInvalid: .phoneInvalid,
        .tooManyRequests: .tooManyRequests,
        .deliveryFailed: .deliveryFailed,
        .codeInvalid: .codeInvalid,
        .codeExpired: .codeExpired,
        .codeUsed: .codeUsed,
        .codeAttemptsExhausted: .codeAttemptsExhausted,
        .deviceCertificateRequired: .certificateRequired,
        .dutyRequired: .dutyRequired,
    ]

    private static let byMessage: [MessageID: Code] = [
        .invalidCredentials: .invalidCredentials,
        .duplicateIdentifier: .accountExists,
        .duplicateWithHints: .accountExists,
        .noCodeLogin: .accountNotFound,
        .accountNotFound: .accountNotFound,
        .wrongLoginCode: .codeInvalid,
        .wrongRegistrationCode: .codeInvalid,
        .wrongRecoveryCode: .codeInvalid,
        .wrongVerificationCode: .codeInvalid,
        .identityDisabled: .accountDisabled,
        .addressNotVerified: .phoneNotVerified,
    ]
}
