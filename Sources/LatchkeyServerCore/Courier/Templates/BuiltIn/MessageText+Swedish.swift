extension MessageText {
    /// The Swedish texts.
    static func swedish(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "inloggningskod",
                "Någon har bett om att få logga in{{at_app}} med adressen {{address}}. Om det var du anger du den här koden:",
                "Om det inte var du behöver du inte göra något: ingen kommer in utan koden."
            )
        case .registrationCode:
            code(
                "registreringskod",
                "Någon har bett om att få öppna ett konto{{at_app}} med adressen {{address}}. Om det var du anger du den här koden:",
                "Om det inte var du behöver du inte göra något: inget konto öppnas utan koden."
            )
        case .verificationCode:
            code(
                "verifieringskod",
                "Någon har uppgett {{address}} som sin adress{{at_app}}. Om det var du bekräftar du den med den här koden:",
                "Om det inte var du behöver du inte göra något: adressen bekräftas inte utan koden."
            )
        case .recoveryCode:
            code(
                "återställningskod",
                "Någon har bett om att få tillbaka åtkomsten till kontot{{at_app}} som har adressen {{address}}. Om det var du anger du den här koden:",
                "Om det inte var du behöver du inte göra något: ingen kommer in utan koden."
            )
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Någon har bett om åtkomst till ett konto{{at_app}} med det här numret, men inget konto har det. Var det inte du behöver du inte göra något.",
                subject: "Inget konto{{at_app}} har den här adressen",
                mail:
                    "Någon har bett om att få tillbaka åtkomsten till ett konto{{at_app}} med adressen {{address}}, men inget konto har den adressen.",
                "Om det var du kan du prova en annan adress som du kan ha använt. Om det inte var du behöver du inte göra något."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Någon har bett om att bekräfta det här numret{{at_app}}, men inget konto har det. Var det inte du behöver du inte göra något.",
                subject: "Inget konto{{at_app}} har den här adressen",
                mail:
                    "Någon har bett om att bekräfta adressen {{address}}{{at_app}}, men inget konto har den adressen.",
                "Om det var du kan du prova en annan adress som du kan ha använt. Om det inte var du behöver du inte göra något."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Lösenordet till ditt konto{{at_app}} har ändrats. Om det inte var du bör du återställa kontot genast.",
                subject: "Ditt lösenord{{at_app}} har ändrats",
                mail: "Lösenordet till kontot{{at_app}} som har adressen {{address}} har ändrats.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du har någon annan åtkomst till kontot: återställ det genast och välj ett nytt lösenord."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "Ditt konto{{at_app}} har fått ett annat nummer. Om det inte var du bör du kontakta tjänsten genast.",
                subject: "Din adress{{at_app}} har ändrats",
                mail: "Kontot{{at_app}} som hade adressen {{address}} har fått en annan adress.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du har någon annan åtkomst till kontot: kontakta tjänsten genast."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Någon har försökt öppna ett konto{{at_app}} med det här numret, men du har redan ett. Var det inte du behöver du inte göra något.",
                subject: "Du har redan ett konto{{at_app}}",
                mail:
                    "Någon har försökt öppna ett konto{{at_app}} med adressen {{address}}, men den hör redan till ett konto.",
                "Om det var du kan du logga in, eller återställa kontot om du har glömt lösenordet.",
                "Om det inte var du behöver du inte göra något: ditt konto är som förut."
            )
        }
    }

    private static func code(_ name: String, _ why: String, _ otherwise: String) -> MessageText {
        MessageText(
            sms:
                "{{code}} är din \(name){{for_app}}. Den gäller i {{lifespan}}. Ge den aldrig till någon.",
            subject: "Din \(name){{for_app}}",
            mail: why,
            "{{code}}",
            "Den gäller i {{lifespan}}. Ge den aldrig till någon, inte heller till någon som säger sig arbeta hos oss.",
            otherwise
        )
    }
}
