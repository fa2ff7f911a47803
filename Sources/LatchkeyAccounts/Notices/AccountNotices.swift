package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Notifies account owners of changes by sending messages to their proven addresses.
///
/// Callers pass the identity as it was before the change, because an attacker who replaced an address would
/// otherwise be the only one to be notified.
///
/// The number of text messages that are sent for an account each day is limited. When the limit has been
/// reached, we only send mail and record in the audit log that a notice was withheld.
package struct AccountNotices: Sendable {
    private let settings: NoticeSettings
    private let audit: AuditLog
    private let messages: MessageWriter
    private let random: any RandomSource
    private let courier: Courier
    private let limiter: Limiter

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - courier: The outbox that the messages are stored in.
    ///   - limiter: Limits the rate of text messages and of notices about rejected logins.
    ///   - settings: The settings that enable notices. If notices are disabled, we don't store any messages
    ///     or events.
    ///   - audit: The audit log that creates the events for sent and withheld notices.
    ///   - messages: Writes the notices in the language of the request.
    ///   - random: The random source for message ids.
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

    /// Enqueues a notice to each of an identity's proven addresses.
    ///
    /// The number of notices sent by mail isn't limited. The messages are only sent if the transaction is
    /// committed.
    ///
    /// - Parameters:
    ///   - kind: The kind of notice.
    ///   - identity: The identity as it was before the change.
    ///   - lifespan: The time until the account is erased, for notices about a deletion.
    ///   - excluded: An address that doesn't get the notice because it was used to make the change, or `nil`.
    ///   - context: The request that caused the change. The language of the notice depends on the request.
    ///   - transaction: The database transaction that changes the account.
    /// - Throws: ``DatabaseError``, or any error thrown by
    ///   ``Courier/enqueue(_:about:asDecoy:isAwaited:in:)``.
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
            at: context.now,
            in: transaction
        )
    }

    /// Enqueues a notice about a new device.
    ///
    /// The notice is sent by mail. If the account has no proven email address, we send a text message
    /// instead, but at most once per day. The text message also counts towards the account's daily limit on
    /// notices by text message.
    ///
    /// - Parameters:
    ///   - identity: The identity that the device was enrolled for.
    ///   - context: The request that enrolled the device.
    ///   - transaction: The database transaction that enrols the device.
    /// - Throws: Any error thrown by ``send(_:to:lifespan:except:for:in:)``.
    package func sendNewDevice(
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
            at: context.now,
            in: transaction
        )
    }

    /// Enqueues a notice about a payment method or a purchase.
    ///
    /// The notice is sent by mail. If the account has no proven email address, or hasn't had one for long, we also
    /// send a text message, which counts towards the account's daily limit on notices by text message.
    /// Otherwise, an intruder could divert the notices by adding an email address.
    ///
    /// - Parameters:
    ///   - notice: The notice.
    ///   - identity: The account.
    ///   - context: The request that caused the notice, or `nil` if the server caused it.
    ///   - now: The current time.
    ///   - transaction: The database transaction that changes the account.
    /// - Throws: Any error thrown by ``send(_:to:lifespan:except:for:in:)``.
    package func send(
        _ notice: MoneyNotice,
        to identity: Identity,
        for context: RequestContext?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let proven = identity.provenAddresses
        let hasSettledMail = identity.settledAddresses(at: now).contains { $0.via == .email }
        try send(
            notice.kind,
            notice.details,
            to: hasSettledMail ? proven.filter { $0.via == .email } : proven,
            of: identity.id,
            caps: [.noticeText(identity.id)],
            for: context,
            at: now,
            in: transaction
        )
    }

    /// Notifies all proven addresses that a login with an unproven address was rejected, at most once per
    /// day.
    ///
    /// - Parameters:
    ///   - identity: The identity that has the address.
    ///   - context: The request that was rejected.
    ///   - transaction: The database transaction in which the login was rejected.
    /// - Throws: Any error thrown by ``send(_:to:lifespan:except:for:in:)``.
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

    /// Enqueues the messages and records them in the audit log.
    ///
    /// A single event is recorded for all messages that were enqueued, and another one for each text message
    /// that was withheld.
    private func send(
        _ kind: MessageKind,
        _ details: MessageDetails? = nil,
        to recipients: Set<ContactAddress>,
        of identity: Identifier,
        lifespan: Duration = .zero,
        caps: [LimitedEvent],
        for context: RequestContext?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        guard settings.isEnabled else { return }
        var isSent = false
        for address in recipients.sorted(by: { $0.value < $1.value }) {
            if address.via == .sms, try !takesText(caps, to: address, at: now, in: transaction) {
                let event = event(.noticeWithheld, kind, of: identity, in: context, at: now)
                try AuditLog.append(event, in: transaction)
                continue
            }
            let message = messages.message(
                kind,
                to: address.value,
                by: address.via,
                details: details,
                lifespan: lifespan,
                language: messages.language(of: context),
                from: context?.peer,
                at: now,
                random: random
            )
            try courier.enqueue(message, about: identity, in: transaction)
            isSent = true
        }
        if isSent {
            let event = event(.noticeSent, kind, of: identity, in: context, at: now)
            try AuditLog.append(event, in: transaction)
        }
    }

    private func event(
        _ action: AuditAction,
        _ kind: MessageKind,
        of identity: Identifier,
        in context: RequestContext?,
        at now: Timestamp
    ) -> AuditEvent {
        guard let context else {
            return audit.event(action, of: identity, by: .server, about: kind.rawValue, at: now)
        }
        return audit.event(action, of: identity, by: .server, in: context, about: kind.rawValue, at: now)
    }

    /// Counts a text message, or returns `false` if it would exceed a limit.
    ///
    /// The message also counts towards the half of the text message limit that is reserved for proven
    /// addresses.
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
