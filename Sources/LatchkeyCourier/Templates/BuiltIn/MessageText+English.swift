extension MessageText {
    /// Returns the English text for the given kind of message.
    static func english(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "login code",
                sms: "log in{{at_app}}",
                mail: "log in{{at_app}} with {{address}}",
                without: "no one can log in without the code"
            )
        case .registrationCode:
            code(
                "sign-up code",
                sms: "create an account{{at_app}}",
                mail: "create an account{{at_app}} with {{address}}",
                without: "no account will be created without the code"
            )
        case .verificationCode:
            code(
                "verification code",
                sms: "confirm this number{{at_app}}",
                mail: "confirm the address {{address}}{{at_app}}",
                without: "the address will not be confirmed without the code"
            )
            .confirmed(at: "Or continue on this page: {{link}}")
        case .signUpLink:
            code(
                "verification code",
                sms: "confirm your account{{at_app}}",
                mail: "create an account{{at_app}} with {{address}}",
                without: "the account will not be confirmed without the code"
            )
            .confirmed(
                at: "Or confirm the address on this page, and go back to the app from there: {{link}}"
            )
        case .recoveryCode:
            code(
                "recovery code",
                sms: "recover your account{{at_app}}",
                mail: "recover the account{{at_app}} with the address {{address}}",
                without: "no one can recover the account without the code"
            )
            .confirmed(at: "Or continue on this page: {{link}}")
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Someone asked to recover an account{{at_app}} with this number, but no account uses it. If this was not you, ignore this message.",
                subject: "No account{{at_app}} uses this address",
                mail:
                    "We received a request{{from_ip_address}} to recover an account{{at_app}} with {{address}}, but no account uses this address.",
                "If this was you, try another address that you may have used. If this was not you, you can ignore this message."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Someone asked to confirm this number{{at_app}}, but no account uses it. If this was not you, ignore this message.",
                subject: "No account{{at_app}} uses this address",
                mail:
                    "We received a request{{from_ip_address}} to confirm the address {{address}}{{at_app}}, but no account uses this address.",
                "If this was you, try another address that you may have used. If this was not you, you can ignore this message."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Your password{{at_app}} was changed{{from_ip_address}}. If this was not you, recover your account right away.",
                subject: "Your password{{at_app}} was changed",
                mail:
                    "The password of your account{{at_app}} ({{address}}) was changed{{from_ip_address}}.",
                "If this was you, you do not need to do anything.",
                "If this was not you, someone else has access to your account. Recover it right away and set a new password."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "The e-mail addresses or phone numbers of your account{{at_app}} were changed{{from_ip_address}}. If this was not you, contact us at once.",
                subject: "Your contact details{{at_app}} were changed",
                mail:
                    "The e-mail addresses or phone numbers of your account{{at_app}} were changed{{from_ip_address}}. You are receiving this message because {{address}} was a confirmed address of the account before the change.",
                "If this was you, you do not need to do anything.",
                "If this was not you, someone else has access to your account. Recover it right away, or contact us if you cannot."
            )
        case .addressVerified:
            MessageText(
                sms:
                    "Another address of your account{{at_app}} was confirmed{{from_ip_address}}. If you did not expect this, log in and check your contact details.",
                subject: "An address of your account{{at_app}} was confirmed",
                mail:
                    "Someone confirmed another e-mail address or phone number for your account{{at_app}} ({{address}}){{from_ip_address}}. They were not logged in, but they entered a code that we had sent to that address or number.",
                "If this was you, you do not need to do anything.",
                "If you did not expect this, log in and check your contact details."
            )
        case .entryRefused:
            MessageText(
                sms:
                    "We blocked a login{{at_app}}{{from_ip_address}} with an unconfirmed address. If this was you, log in another way and confirm it. If not, remove it.",
                subject: "We blocked a login to your account{{at_app}}",
                mail:
                    "Someone tried to log in to your account{{at_app}} ({{address}}){{from_ip_address}}. They entered the correct code, but we had sent it to an e-mail address or phone number that is listed in your account and has not been confirmed. We blocked the login.",
                "If this was you, log in with your password or a confirmed address, and then confirm the unconfirmed address in your settings.",
                "If this was not you, remove the unconfirmed address from your account."
            )
        case .accountRecovered:
            MessageText(
                sms:
                    "Your account{{at_app}} was recovered{{from_ip_address}}. Other devices were logged out. If this was not you, recover it now and set a new password.",
                subject: "Your account{{at_app}} was recovered",
                mail:
                    "Your account{{at_app}} ({{address}}) was recovered{{from_ip_address}} with a code. All other devices were logged out.",
                "If this was you, you do not need to do anything.",
                "If this was not you, someone else has access to your account. Recover it right away and set a new password."
            )
        case .deviceAdded:
            MessageText(
                sms:
                    "A new device was added to your account{{at_app}}{{from_ip_address}}. If this was not you, change your password now to log out other devices.",
                subject: "New device added to your account{{at_app}}",
                mail: "A new device was added to your account{{at_app}} ({{address}}){{from_ip_address}}.",
                "If this was you, you do not need to do anything.",
                "If this was not you, change your password right away. This logs out your other devices."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Someone tried to create an account{{at_app}} with this number, but you already have one. If this was not you, ignore this message.",
                subject: "You already have an account{{at_app}}",
                mail:
                    "We received a request{{from_ip_address}} to create an account{{at_app}} with {{address}}, but the address already belongs to an account.",
                "If this was you, log in, or recover the account if you have forgotten the password.",
                "If this was not you, you can ignore this message: your account has not changed."
            )
        case .deletionScheduled:
            MessageText(
                sms:
                    "Your account{{at_app}} will be deleted in {{lifespan}}. To keep it, log in before then. If this was not you, log in now and change your password.",
                subject: "Your account{{at_app}} will be deleted",
                mail:
                    "We received a request{{from_ip_address}} to delete your account{{at_app}} ({{address}}). All devices were logged out, and we will delete the account with all its data in {{lifespan}}.",
                "If you change your mind, log in before then to keep your account.",
                "If this was not you, log in right away to keep your account, and change your password."
            )
        case .deletionCancelled:
            MessageText(
                sms:
                    "Your account{{at_app}} will not be deleted, because someone logged in{{from_ip_address}}. If this was not you, recover it now and set a new password.",
                subject: "Your account{{at_app}} will not be deleted",
                mail:
                    "Someone logged in to your account{{at_app}} ({{address}}){{from_ip_address}}. The account will therefore not be deleted.",
                "If this was you, you do not need to do anything. You can delete the account again at any time.",
                "If this was not you, someone else has access to your account. Recover it right away and set a new password."
            )
        case .paymentMethodAdded:
            MessageText(
                sms:
                    "The card {{item}} was added to your account{{at_app}}{{from_ip_address}}. If this was not you, change your password now and remove the card.",
                subject: "New card on your account{{at_app}}",
                mail:
                    "The card {{item}} was added to your account{{at_app}} ({{address}}){{from_ip_address}}. It can now be used for purchases.",
                "If this was you, you do not need to do anything.",
                "If this was not you, change your password right away and remove the card."
            )
        case .receipt:
            MessageText(
                sms:
                    "Receipt{{for_app}}: {{item}}, {{amount}}. If this was not you, change your password now and contact us.",
                subject: "Your receipt{{for_app}}: {{item}}",
                mail: "Thank you for your purchase{{at_app}} ({{address}}).",
                "{{item}}: {{amount}}",
                "Reference: {{reference}}",
                "If you did not buy this, change your password right away and contact us."
            )
        }
    }

    /// Returns the text of a message with a code.
    ///
    /// `consequence` is the end of the sentence that begins with "you can ignore this message:".
    private static func code(
        _ name: String,
        sms shortAction: String,
        mail action: String,
        without consequence: String
    ) -> MessageText {
        MessageText(
            sms:
                "{{code}} is your code to \(shortAction){{from_ip_address}}. Valid for {{lifespan}}. Never share it.",
            subject: "Your \(name){{for_app}}",
            mail:
                "We received a request{{from_ip_address}} to \(action). If this was you, enter this code:",
            "{{code}}",
            "The code is valid for {{lifespan}}. Never share it with anyone, even if they say that they work for us.",
            "If this was not you, you can ignore this message: \(consequence)."
        )
    }
}
