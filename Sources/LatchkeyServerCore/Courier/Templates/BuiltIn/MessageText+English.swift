extension MessageText {
    /// The English texts.
    static func english(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "login code",
                "Somebody has asked to log in{{at_app}} with the address {{address}}. If it was you, enter this code:",
                "If it was not you, do nothing: nobody gets in without the code."
            )
        case .registrationCode:
            code(
                "sign-up code",
                "Somebody has asked to open an account{{at_app}} with the address {{address}}. If it was you, enter this code:",
                "If it was not you, do nothing: no account is opened without the code."
            )
        case .verificationCode:
            code(
                "verification code",
                "Somebody has given {{address}} as their address{{at_app}}. If it was you, confirm it with this code:",
                "If it was not you, do nothing: the address is not confirmed without the code."
            )
        case .recoveryCode:
            code(
                "recovery code",
                "Somebody has asked to get back into the account{{at_app}} that has the address {{address}}. If it was you, enter this code:",
                "If it was not you, do nothing: nobody gets in without the code."
            )
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Somebody has asked to get back into an account{{at_app}} with this number, but no account has it. If it was not you, do nothing.",
                subject: "No account{{at_app}} has this address",
                mail:
                    "Somebody has asked to get back into an account{{at_app}} with the address {{address}}, but no account has this address.",
                "If it was you, try another address that you may have used. If it was not you, do nothing."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Somebody has asked to confirm this number{{at_app}}, but no account has it. If it was not you, do nothing.",
                subject: "No account{{at_app}} has this address",
                mail:
                    "Somebody has asked to confirm the address {{address}}{{at_app}}, but no account has this address.",
                "If it was you, try another address that you may have used. If it was not you, do nothing."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "The password of your account{{at_app}} was changed. If it was not you, recover the account at once.",
                subject: "Your password{{at_app}} was changed",
                mail: "The password of the account{{at_app}} that has the address {{address}} was changed.",
                "If it was you, there is nothing to do.",
                "If it was not you, somebody else has access to the account: recover it at once and choose a new password."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "Your account{{at_app}} has another number from now on. If it was not you, contact the service at once.",
                subject: "Your address{{at_app}} was changed",
                mail: "The account{{at_app}} that had the address {{address}} has another one from now on.",
                "If it was you, there is nothing to do.",
                "If it was not you, somebody else has access to the account: contact the service at once."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Somebody has tried to open an account{{at_app}} with this number, but you have one already. If it was not you, do nothing.",
                subject: "You already have an account{{at_app}}",
                mail:
                    "Somebody has tried to open an account{{at_app}} with the address {{address}}, but it belongs to an account already.",
                "If it was you, log in, or recover the account if you have forgotten the password.",
                "If it was not you, do nothing: your account is as it was."
            )
        }
    }

    private static func code(_ name: String, _ why: String, _ otherwise: String) -> MessageText {
        MessageText(
            sms:
                "{{code}} is your \(name){{for_app}}. It is valid for {{lifespan}}. Never give it to anybody.",
            subject: "Your \(name){{for_app}}",
            mail: why,
            "{{code}}",
            "It is valid for {{lifespan}}. Never give it to anybody, not even to people who say that they work for us.",
            otherwise
        )
    }
}
