extension MessageText {
    /// Returns the Swedish text for the given kind of message.
    static func swedish(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "inloggningskod",
                sms: "logga in{{at_app}}",
                mail: "logga in{{at_app}} med {{address}}",
                without: "ingen kan logga in utan koden"
            )
        case .registrationCode:
            code(
                "registreringskod",
                sms: "skapa ett konto{{at_app}}",
                mail: "skapa ett konto{{at_app}} med {{address}}",
                without: "inget konto skapas utan koden"
            )
        case .verificationCode:
            code(
                "verifieringskod",
                sms: "bekräfta det här numret{{at_app}}",
                mail: "bekräfta adressen {{address}}{{at_app}}",
                without: "adressen bekräftas inte utan koden"
            )
            .confirmed(at: "Eller fortsätt på den här sidan: {{link}}")
        case .signUpLink:
            code(
                "verifieringskod",
                sms: "bekräfta ditt konto{{at_app}}",
                mail: "skapa ett konto{{at_app}} med {{address}}",
                without: "kontot bekräftas inte utan koden"
            )
            .confirmed(
                at: "Eller bekräfta adressen på den här sidan och gå tillbaka till appen därifrån: {{link}}"
            )
        case .recoveryCode:
            code(
                "återställningskod",
                sms: "återställa ditt konto{{at_app}}",
                mail: "återställa kontot{{at_app}} med adressen {{address}}",
                without: "ingen kan återställa kontot utan koden"
            )
            .confirmed(at: "Eller fortsätt på den här sidan: {{link}}")
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Någon försökte återställa ett konto{{at_app}} med det här numret, men det finns inget sådant konto. Var det inte du kan du bortse från meddelandet.",
                subject: "Det finns inget konto{{at_app}} med den här adressen",
                mail:
                    "Vi har fått en begäran{{from_ip_address}} om att återställa ett konto{{at_app}} med {{address}}, men det finns inget konto med den adressen.",
                "Om det var du kan du prova en annan adress som du kanske har använt. Om det inte var du kan du bortse från det här meddelandet."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Någon försökte bekräfta det här numret{{at_app}}, men det hör inte till något konto. Var det inte du kan du bortse från meddelandet.",
                subject: "Det finns inget konto{{at_app}} med den här adressen",
                mail:
                    "Vi har fått en begäran{{from_ip_address}} om att bekräfta adressen {{address}}{{at_app}}, men det finns inget konto med den adressen.",
                "Om det var du kan du prova en annan adress som du kanske har använt. Om det inte var du kan du bortse från det här meddelandet."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Ditt lösenord{{at_app}} ändrades{{from_ip_address}}. Om det inte var du bör du återställa kontot genast.",
                subject: "Ditt lösenord{{at_app}} har ändrats",
                mail:
                    "Lösenordet till ditt konto{{at_app}} ({{address}}) ändrades{{from_ip_address}}.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du har någon annan kommit åt ditt konto. Återställ det genast och välj ett nytt lösenord."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "E-postadresserna eller telefonnumren på ditt konto{{at_app}} ändrades{{from_ip_address}}. Om det inte var du bör du kontakta oss genast.",
                subject: "Dina kontaktuppgifter{{at_app}} har ändrats",
                mail:
                    "E-postadresserna eller telefonnumren på ditt konto{{at_app}} ändrades{{from_ip_address}}. Du får det här meddelandet eftersom {{address}} var en bekräftad adress på kontot före ändringen.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du har någon annan kommit åt ditt konto. Återställ det genast, eller kontakta oss om det inte går."
            )
        case .addressVerified:
            MessageText(
                sms:
                    "En annan adress på ditt konto{{at_app}} bekräftades{{from_ip_address}}. Om det är oväntat bör du logga in och se över dina kontaktuppgifter.",
                subject: "En adress på ditt konto{{at_app}} har bekräftats",
                mail:
                    "Någon har bekräftat en annan e-postadress eller ett annat telefonnummer på ditt konto{{at_app}} ({{address}}){{from_ip_address}}. Det gjordes utan inloggning, med en kod som vi hade skickat till den adressen eller det numret.",
                "Om det var du behöver du inte göra något.",
                "Om det är oväntat bör du logga in och se över dina kontaktuppgifter."
            )
        case .entryRefused:
            MessageText(
                sms:
                    "Vi stoppade en inloggning{{at_app}}{{from_ip_address}} med obekräftad adress. Var det du, logga in på annat sätt och bekräfta den. Om inte, ta bort den.",
                subject: "Vi stoppade en inloggning på ditt konto{{at_app}}",
                mail:
                    "Någon har försökt logga in på ditt konto{{at_app}} ({{address}}){{from_ip_address}}. Koden var rätt, men vi hade skickat den till en e-postadress eller ett telefonnummer som finns på ditt konto men inte är bekräftat. Vi stoppade inloggningen.",
                "Om det var du loggar du in med ditt lösenord eller en bekräftad adress och bekräftar sedan den obekräftade adressen i inställningarna.",
                "Om det inte var du bör du ta bort den obekräftade adressen från kontot."
            )
        case .accountRecovered:
            MessageText(
                sms:
                    "Ditt konto{{at_app}} återställdes{{from_ip_address}}. Andra enheter loggades ut. Var det inte du, återställ det genast och byt lösenord.",
                subject: "Ditt konto{{at_app}} har återställts",
                mail:
                    "Ditt konto{{at_app}} ({{address}}) återställdes{{from_ip_address}} med en kod. Alla andra enheter loggades ut.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du har någon annan kommit åt ditt konto. Återställ det genast och välj ett nytt lösenord."
            )
        case .deviceAdded:
            MessageText(
                sms:
                    "En ny enhet lades till på ditt konto{{at_app}}{{from_ip_address}}. Var det inte du, byt lösenord genast. Då loggas andra enheter ut.",
                subject: "Ny enhet på ditt konto{{at_app}}",
                mail: "En ny enhet lades till på ditt konto{{at_app}} ({{address}}){{from_ip_address}}.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du bör du byta lösenord genast. Då loggas dina andra enheter ut."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Någon har försökt skapa ett konto{{at_app}} med det här numret, men du har redan ett. Var det inte du kan du bortse från meddelandet.",
                subject: "Du har redan ett konto{{at_app}}",
                mail:
                    "Vi har fått en begäran{{from_ip_address}} om att skapa ett konto{{at_app}} med {{address}}, men adressen hör redan till ett konto.",
                "Om det var du kan du logga in, eller återställa kontot om du har glömt lösenordet.",
                "Om det inte var du kan du bortse från det här meddelandet: ditt konto har inte ändrats."
            )
        case .deletionScheduled:
            MessageText(
                sms:
                    "Ditt konto{{at_app}} raderas om {{lifespan}}. Logga in innan dess om du vill behålla det. Var det inte du, logga in nu och byt lösenord.",
                subject: "Ditt konto{{at_app}} kommer att raderas",
                mail:
                    "Vi har fått en begäran{{from_ip_address}} om att radera ditt konto{{at_app}} ({{address}}). Alla enheter har loggats ut, och vi raderar kontot med alla uppgifter om {{lifespan}}.",
                "Om du ångrar dig kan du logga in innan dess. Då behåller du kontot.",
                "Om det inte var du bör du genast logga in för att behålla kontot, och sedan byta lösenord."
            )
        case .deletionCancelled:
            MessageText(
                sms:
                    "Ditt konto{{at_app}} raderas inte, eftersom någon loggade in{{from_ip_address}}. Var det inte du, återställ det genast och byt lösenord.",
                subject: "Ditt konto{{at_app}} raderas inte",
                mail:
                    "Någon har loggat in på ditt konto{{at_app}} ({{address}}){{from_ip_address}}. Därför raderas kontot inte.",
                "Om det var du behöver du inte göra något. Du kan radera kontot igen när du vill.",
                "Om det inte var du har någon annan kommit åt ditt konto. Återställ det genast och välj ett nytt lösenord."
            )
        case .paymentMethodAdded:
            MessageText(
                sms:
                    "Kortet {{item}} lades till på ditt konto{{at_app}}{{from_ip_address}}. Var det inte du, byt lösenord genast och ta bort kortet.",
                subject: "Nytt kort på ditt konto{{at_app}}",
                mail:
                    "Kortet {{item}} lades till på ditt konto{{at_app}} ({{address}}){{from_ip_address}}. Det kan nu användas för köp.",
                "Om det var du behöver du inte göra något.",
                "Om det inte var du ska du genast byta lösenord och ta bort kortet."
            )
        case .receipt:
            MessageText(
                sms:
                    "Kvitto{{for_app}}: {{item}}, {{amount}}. Var det inte du, byt lösenord genast och kontakta oss.",
                subject: "Ditt kvitto{{for_app}}: {{item}}",
                mail: "Tack för ditt köp{{at_app}} ({{address}}).",
                "{{item}}: {{amount}}",
                "Referens: {{reference}}",
                "Om du inte har köpt det här ska du genast byta lösenord och kontakta oss."
            )
        }
    }

    /// Returns the text of a message with a code.
    ///
    /// `consequence` completes the sentence "kan du bortse från det här meddelandet: …".
    private static func code(
        _ name: String,
        sms shortAction: String,
        mail action: String,
        without consequence: String
    ) -> MessageText {
        MessageText(
            sms:
                "{{code}} är din kod för att \(shortAction){{from_ip_address}}. Gäller i {{lifespan}}. Dela den aldrig med någon.",
            subject: "Din \(name){{for_app}}",
            mail:
                "Vi har fått en begäran{{from_ip_address}} om att \(action). Om det var du, ange den här koden:",
            "{{code}}",
            "Koden gäller i {{lifespan}}. Dela den aldrig med någon, inte heller med någon som säger sig arbeta hos oss.",
            "Om det inte var du kan du bortse från det här meddelandet: \(consequence)."
        )
    }
}
