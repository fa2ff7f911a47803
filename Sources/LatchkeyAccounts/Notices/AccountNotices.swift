package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Notifies the owner of an account of changes, with messages to its proven addresses.
///
/// Callers pass the identity as it was before the change, because otherwise an attacker who replaced an
/// address would be the only one to be notified. The number of text messages for each account and day is
/// limited. Beyond the limit, only mail is sent, and the audit log records the withheld notice.
package struct AccountNotices: Sendable {
    private let settings: NoticeSettings
    private let audit: AuditLog
    private let messages: MessageWriter
    private let random: any RandomSource
    private let courier: Courier
    private let limiter: Limiter

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - courier: The outbox in which messages are stored.
    ///   - limiter: The rate limiter for text messages and for notices about rejected logins.
    ///   - settings: Whether notices are sent; without notices, no message is stored and no event is
    ///     recorded.
    ///   - audit: The audit log, which creates the events for sent and withheld notices.
    ///   - messages: Writes the text of notices in the language of the request.
    ///   - random: The random source for the ids of messages.
    package init(
        courier: Courier,
        limiter: Limiter,
        settings: NoticeSettings,
        audit: AuditLog,
        messages: MessageWriter,
        random: any RandomSource
    ) {
        self.courier = courier
        self.limiter = limiter
        self.settings = settings
        self.audit = audit
        self.messages = messages
        self.random = random
    }

    /// Enqueues a notice to each proven address of an identity.
    ///
    /// Mail has no limit. The messages are sent only if the transaction commits.
    ///
    /// - Parameters:
    ///   - kind: The kind of change.
    ///   - identity: The identity as it was before the change.
    ///   - lifespan: The time until a deletion, for notices about it.
    ///   - excluded: An address that gets no notice because it was used to make the change; `nil` if there is
    ///     none.
    ///   - context: The request that caused the change; it determines the language.
    ///   - transaction: The transaction of the change.
    /// - Throws: ``DatabaseError``, or an error of ``Courier/enqueue(_:about:asDecoy:isAwaited:in:)``.
    package func send(
        _ kind: MessageKind,
        to identity: Identity,
        lifespan: Duration = .zero,
        except excluded: ContactAddress? = nil,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        let recipients = identity.provenAddresses.filter { $0 != excluded }
        try send(
            kind,
            to: recipients,
            of: identity.id,
            lifespan: lifespan,
            caps: [.noticeText(identity.id)],
            for: context,
            in: transaction
        )
    }

    /// Enqueues a notice about a new device.
    ///
    /// The notice is sent by mail. If the account has no proven e-mail address, it is sent as a text message,
    /// at most once per day.
    ///
    /// A text message also counts against the account's daily limit for all notices by text message.
    ///
    /// - Parameters:
    ///   - identity: The identity for which the device was registered.
    ///   - context: The request that registered the device.
    ///   - transaction: The transaction of the registration.
    /// - Throws: The same errors as ``send(_:to:lifespan:except:for:in:)``.
    func sendNewDevice(
        to identity: Identity,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        let proven = identity.provenAddresses
        let mail = proven.filter { $0.via == .email }
        try send(
            .deviceAdded,
            to: mail.isEmpty ? proven : mail,
            of: identity.id,
            caps: [.deviceNoticeText(identity.id), .noticeText(identity.id)],
            for: context,
            in: transaction
        )
    }

    /// Enqueues a notice that a login with an unproven address was rejected, at most once per day.
    ///
    /// The notice goes to all proven addresses.
    ///
    /// - Parameters:
    ///   - identity: The identity to which the address belongs.
    ///   - context: The request that was rejected.
    ///   - transaction: The transaction in which the login was rejected.
    /// - Throws: The same errors as ``send(_:to:lifespan:except:for:in:)``.
    func sendRefusedEntry(
        to identity: Identity,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        let event = LimitedEvent.refusedEntryNotice(identity.id)
        guard case .reserved = try limiter.reserve([event], at: context.now, in: transaction) else {
            return
        }
        try send(.entryRefused, to: identity, for: context, in: transaction)
    }

    /// Enqueues the messages of a notice and records them in the audit log.
    ///
    /// One event is appended for all messages that were enqueued, and one for each withheld text message.
    private func send(
        _ kind: MessageKind,
        to recipients: Set<ContactAddress>,
        of identity: Identifier,
        lifespan: Duration = .zero,
        caps: [LimitedEvent],
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        guard settings.isEnabled else { return }
        var isSent = false
        for address in recipients.sorted(by: { $0.value < $1.value }) {
            if address.via == .sms, try !takesText(caps, to: address, at: context.now, in: transaction) {
                let event = audit.event(
                    .noticeWithheld,
                    of: identity,
                    by: .server,
                    in: context,
                    about: kind.rawValue,
                    at: context.now
                )
                try AuditLog.append(event, in: transaction)
                continue
            }
            let message = messages.message(
                kind,
                to: address.value,
                by: address.via,
                lifespan: lifespan,
                language: messages.language(of: context),
                from: context.peer,
                at: context.now,
                random: random
            )
            try courier.enqueue(message, about: identity, in: transaction)
            isSent = true
        }
        if isSent {
            let event = audit.event(
                .noticeSent,
                of: identity,
                by: .server,
                in: context,
                about: kind.rawValue,
                at: context.now
            )
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Counts a text message against the limits, or returns `false` if it would exceed one of them.
    ///
    /// The message also counts against the half of the limit for all text messages that is reserved for
    /// proven addresses.
    private func takesText(
        _ caps: [LimitedEvent],
        to address: ContactAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let events = caps + [limiter.textMessage(to: address, isProven: true)].compactMap { $0 }
        guard case .reserved = try limiter.reserve(events, at: now, in: transaction) else { return false }
        return true
    }
}
