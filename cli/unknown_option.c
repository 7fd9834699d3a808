/* Is there a long option that the command does not have? argp says only that. */
#include "cli/unknown_option.h"

#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"

/* Those that argp adds to every command. */
static const struct argp_option of_argp[] = {{"help", '?', 0, 0, 0, 0},
                                             {"usage", 'u', 0, 0, 0, 0},
                                             {"program-name", 'n', "NAME", 0, 0, 0},
                                             {"HANG", 'h', "SECONDS", OPTION_ARG_OPTIONAL, 0, 0},
                                             {0}};

/* Calls `see` for each option of the parser and its children, until it returns true. */
static bool each_option(const struct argp *argp, bool (*see)(const struct argp_option *o, void *context), void *context)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        if (see(o, context))
            return true;
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        if (each_option(c->argp, see, context))
            return true;
    return false;
}

struct search {
    const char *text; /* behind the dashes */
    size_t length;    /* up to the value */
    bool whole;       /* the text is all of the name, and not only its beginning */
    char key;         /* of a short option; 0: the long one of this text */
    const struct argp_option *found;
    struct nearest_word near;
};

static bool fits(const struct argp_option *o, void *context)
{
    struct search *s = context;
    const bool is_it = s->key ? o->key == s->key
                              : o->name && !strncmp(o->name, s->text, s->length) && (!s->whole || !o->name[s->length]);
    if (is_it)
        s->found = o;
    return is_it;
}

static bool offer(const struct argp_option *o, void *context)
{
    struct search *s = context;
    char word[NEAREST_WORD_MAX + 1], said[NEAREST_WORD_MAX + 1];
    snprintf(word, sizeof word, "%.*s", (int)s->length, s->text);
    if (o->name && !(o->flags & OPTION_HIDDEN)) {
        snprintf(said, sizeof said, "--%s", o->name);
        nearest_word_offer(&s->near, word, o->name, said);
    }
    return false;
}

static bool is_found(const struct argp *argp, struct search *s)
{
    static const struct argp argp_itself = {.options = of_argp};
    return each_option(argp, fits, s) || each_option(&argp_itself, fits, s);
}

/* getopt would take the beginning of a name for the whole: another option could get it tomorrow. */
static int refuse(const struct argp *argp, const char *command, struct search *s, struct err *e)
{
    char question[NEAREST_QUESTION_BYTES];
    s->whole = false;
    if (s->length && is_found(argp, s))
        return err_set(e, ERR_USAGE, "'%s' has no option '--%.*s'; did you mean '--%s'?", command, (int)s->length,
                       s->text, s->found->name);
    each_option(argp, offer, s);
    return err_set(e, ERR_USAGE, "'%s' has no option '--%.*s'%s", command, (int)s->length, s->text,
                   nearest_word_question(&s->near, question));
}

static bool takes_value(const struct search *s)
{
    return s->found && s->found->arg && !(s->found->flags & OPTION_ARG_OPTIONAL);
}

/* Is the argument behind these short options the value of the last? */
static bool short_take_next(const struct argp *argp, const char *letters)
{
    for (; *letters; letters++) {
        struct search s = {.key = *letters};
        is_found(argp, &s);
        if (takes_value(&s))
            return !letters[1];
    }
    return false;
}

/* "--", or a whole long option: nobody means one as a value. */
static bool is_option(const struct argp *argp, const char *arg)
{
    struct search s = {.whole = true};
    if (strncmp(arg, "--", 2) != 0)
        return false;
    s.text = arg + 2;
    s.length = strcspn(s.text, "=");
    return !s.length || is_found(argp, &s);
}

int unknown_option(const struct argp *argp, int argc, char **argv, bool in_order, struct err *e)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *arg = argv[i];
        if (!strncmp(arg, "--", 2)) {
            struct search s = {.text = arg + 2, .length = strcspn(arg + 2, "="), .whole = true};
            if (!is_found(argp, &s))
                return refuse(argp, argv[0], &s, e);
            if (takes_value(&s) && !arg[2 + s.length] && ++i < argc && is_option(argp, argv[i]))
                return err_set(e, ERR_USAGE, "'%s': %s takes a value, not '%s'", argv[0], arg, argv[i]);
        } else if (arg[0] == '-' && arg[1]) {
            i += short_take_next(argp, arg + 1);
        } else if (in_order) {
            break;
        }
    }
    return 0;
}
